// The topics that share one network without other traders: the chart, the account's menu, vaults and the pool, portfolio and referrals.

import './quiet/chart.ts'
import './quiet/account.ts'
import './quiet/vaults.ts'
import './quiet/portfolio.ts'
