// The account's marks on the chart: entries, liquidation prices, orders and fills.

import { useEffect } from 'preact/hooks'
import type { RefObject } from 'preact'
import { ORDER_TYPES } from '../activity-text.ts'
import { useParts } from '../parts.ts'
import { useAccountList } from '../state/use-account-list.ts'
import type { FillMark, PriceChart, PriceMark } from './price-chart.ts'

const FILLS = 100
const ONE = 1e7

export function useMarks(asset: string, chart: RefObject<PriceChart | null>): void {
  const { account } = useParts()
  const state = account.state.answer.value?.body ?? null
  const fills = useAccountList('Fills', (client) => client.listAccountFills({ limit: FILLS })).answer.value?.body.fills
  useEffect(() => {
    const positions = (state?.positions ?? []).filter((position) => position.asset === asset)
    const orders = (state?.orders ?? []).filter((order) => order.asset === asset)
    chart.current?.setMarks([
      ...positions.flatMap(({ positionId, direction, entryPrice, liquidationPrice }): PriceMark[] => [
        { key: `entry ${positionId}`, price: Number(entryPrice) / ONE, title: `${direction === 0 ? 'Long' : 'Short'} #${positionId}`, tone: 'accent' },
        ...(liquidationPrice === null ? [] : [
          { key: `liquidation ${positionId}`, price: Number(liquidationPrice) / ONE, title: `Liquidation #${positionId}`, tone: 'down' } as const,
        ]),
      ]),
      ...orders.map(({ orderId, orderType, direction, referencePrice }): PriceMark => ({
        key: `order ${orderId}`, price: Number(referencePrice) / ONE, title: `${ORDER_TYPES[orderType] ?? orderType} #${orderId}`,
        tone: direction === 0 ? 'up' : 'down',
      })),
    ])
  }, [state, asset])
  useEffect(() => {
    const own = (fills ?? []).filter((fill) => fill.asset === asset && fill.direction !== null).toReversed()
    chart.current?.setFills(own.map(({ ts, kind, direction }): FillMark => (
      { time: ts, isBuy: (direction === 0) === (kind === 'open'), text: kind === 'open' ? '' : kind }
    )))
  }, [fills, asset])
}
