// All commands, in the order of the help.

import { ACCOUNT_COMMANDS } from './account-commands.ts'
import { AUDIT_COMMANDS } from './audit-command.ts'
import type { Command } from './command.ts'
import { completionCommand } from './completion-command.ts'
import { EXCHANGE_COMMANDS } from './exchange-commands.ts'
import { HISTORY_COMMANDS } from './history-commands.ts'
import { KEY_COMMANDS } from './key-commands.ts'
import { LEDGER_COMMANDS } from './ledger-commands.ts'
import { LIFE_COMMANDS } from './life-commands.ts'
import { OTHER_COMMANDS } from './other-commands.ts'
import { TRADE_COMMANDS } from './trade-commands.ts'
import { VENUE_COMMANDS } from './venue-commands.ts'
import { WATCH_COMMANDS } from './watch-command.ts'

export const COMMANDS: readonly Command[] = [
  ...EXCHANGE_COMMANDS, ...HISTORY_COMMANDS, ...VENUE_COMMANDS, ...WATCH_COMMANDS, ...KEY_COMMANDS, ...ACCOUNT_COMMANDS, ...LIFE_COMMANDS,
  ...LEDGER_COMMANDS, ...AUDIT_COMMANDS, ...TRADE_COMMANDS, ...OTHER_COMMANDS, completionCommand(() => COMMANDS),
]
