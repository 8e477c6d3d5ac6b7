// An account's lifetime figures: volumes, PnL, wins and ranks, as the API has them.

import { isAddress } from '../../client/src/index.ts'
import type { LeaderRank, RealizedTrade, TraderProfile } from '../../client/src/index.ts'
import { FILL_KINDS } from '../activity-text.ts'
import { amount, dateTime, UNKNOWN } from '../format.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Facts, Fresh, ReadNote } from '../ui/layout.tsx'
import { Profit } from '../ui/text.tsx'
import type { Resource } from '../state/resource.ts'

export function Figures({ address, profile }: { readonly address: string; readonly profile: Resource<TraderProfile> }) {
  const body = profile.answer.value?.body ?? null
  return (
    <Card title='Trading'>
      {isAddress(address) && <Ranks address={address} />}
      {body !== null && (
        <Fresh resource={profile}>
          <Facts
            inline
            rows={[
              ['Realised PnL by price', <Profit value={body.realizedPnl} />],
              ['Volume, 24 h', amount(body.volume24h, 0)], ['Volume, 14 days', amount(body.volume14d, 0)],
              ['Volume, all', amount(body.volume, 0)], ['Trades', String(body.trades)], ['Liquidations', String(body.liquidations)],
              ['Wins and losses', `${body.wins} and ${body.losses}`],
              ['Win rate', body.winRate === null ? 'n/a' : `${(body.winRate * 100).toFixed(1)}%`],
              ['Open positions', body.openPositions === 0 ? '0' : `${body.openPositions} (${amount(body.openInterest, 0)} USDC)`],
              ['Best trade', <Extreme trade={body.bestTrade} />], ['Worst trade', <Extreme trade={body.worstTrade} />],
              ['First trade', body.firstTradeAt === null ? 'none' : dateTime(body.firstTradeAt)],
              ['Last trade', body.lastTradeAt === null ? 'none' : dateTime(body.lastTradeAt)],
            ]}
          />
        </Fresh>
      )}
      <ReadNote resource={profile} />
    </Card>
  )
}

function Extreme({ trade }: { readonly trade: RealizedTrade | null }) {
  if (trade === null) return <>none</>
  return <><Profit value={trade.pnl} /><span class='note'>{` ${trade.asset ?? ''} ${kindOf(trade).toLowerCase()}`}</span></>
}

const kindOf = ({ kind }: RealizedTrade): string => (kind === 'cross_liquidation' ? 'Cross liquidation' : FILL_KINDS[kind])

/** Places on the leaderboard, which lists accounts only. */
function Ranks({ address }: { readonly address: string }) {
  const byPnl = useResource('Rank by PnL', (client) => client.getLeaderRank({ trader: address, sort: 'pnl' }), [address])
  const byVolume = useResource('Rank by volume', (client) => client.getLeaderRank({ trader: address, sort: 'volume' }), [address])
  return (
    <Facts
      inline
      rows={[['Rank by PnL', rankText(byPnl.answer.value?.body ?? null)], ['Rank by volume', rankText(byVolume.answer.value?.body ?? null)]]}
    />
  )
}

function rankText(body: LeaderRank | null): string {
  if (body === null) return UNKNOWN
  if (body.rank !== null) return `${body.rank} of ${body.total}`
  return body.entry === null ? 'not ranked: no trades' : `behind the places that are counted, of ${body.total}`
}
