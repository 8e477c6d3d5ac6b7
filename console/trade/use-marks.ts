// The account's marks on the chart: entries, liquidation prices, orders and fills.

import { useEffect, useMemo } from 'preact/hooks'
import type { RefObject } from 'preact'
import type { AccountState, Fill } from '../../client/src/index.ts'
import { FILL_KINDS, ORDER_TYPES } from '../activity-text.ts'
import type { FillMark, PriceChart, PriceMark } from './price-chart.ts'

export interface MarkOptions {
  readonly asset: string
  readonly state: AccountState | null
  readonly fills: readonly Fill[] | null
  /** An order that is being moved, with the price at which it is drawn. */
  readonly moved: { readonly orderId: number; readonly price: number } | null
}

const ONE = 1e7

export interface Marks {
  readonly marks: readonly PriceMark[]
  readonly fills: readonly FillMark[]
}

/** Draws the marks on the chart. */
export function useMarks(chart: RefObject<PriceChart | null>, { asset, state, fills, moved }: MarkOptions): Marks {
  const marks = useMemo(() => [...positionMarks(asset, state), ...orderMarks(asset, state, moved)], [asset, state, moved])
  const own = useMemo(() => (fills ?? []).filter((fill) => fill.asset === asset && fill.direction !== null).toReversed().map(fillMark), [fills, asset])
  useEffect(() => chart.current?.setMarks(marks), [marks])
  useEffect(() => chart.current?.setFills(own), [own])
  return { marks, fills: own }
}

function positionMarks(asset: string, state: AccountState | null): readonly PriceMark[] {
  const positions = (state?.positions ?? []).filter((position) => position.asset === asset)
  return positions.flatMap(({ positionId, direction, entryPrice, liquidationPrice }): PriceMark[] => [
    { key: `entry ${positionId}`, price: Number(entryPrice) / ONE, title: `${direction === 0 ? 'Long' : 'Short'} #${positionId}`, tone: 'accent' },
    ...(liquidationPrice === null ? [] : [
      { key: `liquidation ${positionId}`, price: Number(liquidationPrice) / ONE, title: `Liquidation #${positionId}`, tone: 'down' } as const,
    ]),
  ])
}

function orderMarks(asset: string, state: AccountState | null, moved: MarkOptions['moved']): readonly PriceMark[] {
  const orders = (state?.orders ?? []).filter((order) => order.asset === asset && order.referencePrice !== null)
  return orders.map(({ orderId, orderType, direction, referencePrice }): PriceMark => ({
    key: orderKey(orderId), price: moved?.orderId === orderId ? moved.price : Number(referencePrice) / ONE,
    title: `${ORDER_TYPES[orderType] ?? orderType} #${orderId}`, tone: direction === 0 ? 'up' : 'down',
  }))
}

/** The key of an order's mark. */
export const orderKey = (orderId: number): string => `order ${orderId}`

/** Opening a long buys, as does closing a short. */
function fillMark({ seq, positionId, ts, kind, direction }: Fill): FillMark {
  return { key: `${seq} ${positionId}`, time: ts, isBuy: (direction === 0) === (kind === 'open'), text: FILL_KINDS[kind] ?? kind }
}
