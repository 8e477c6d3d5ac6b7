// The account's open positions, each of which can be shared as a picture.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { AccountState } from '../../client/src/index.ts'
import { amount, dateTime, price, profitByPrice, sideOf, signed } from '../format.ts'
import { useParts } from '../parts.ts'
import { saveFile } from '../save-file.ts'
import { usePrice } from '../state/use-price.ts'
import { returnOnMargin, signedPercent } from '../trade/position-figures.ts'
import { Card } from '../ui/layout.tsx'
import { MarketLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'
import { Profit, Side } from '../ui/text.tsx'
import { drawShare, PICTURE, pngOf } from './share-picture.ts'
import type { ShareTexts } from './share-picture.ts'

type Position = NonNullable<AccountState['positions']>[number]

export function PositionsSection({ state }: { readonly state: AccountState | null }) {
  const [sharedId, setSharedId] = useState<number | null>(null)
  const positions = state?.positions ?? []
  const shared = positions.find(({ positionId }) => positionId === sharedId)
  return (
    <Card title='Open positions'>
      <Table
        caption='Your open positions, newest first. PnL from the price alone.' empty='No open positions.' isLoading={state === null} rows={positions}
        keyOf={({ positionId }) => positionId}
        columns={[
          { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
          { title: 'Side', cell: ({ direction, leverage }) => <><Side direction={direction} />{` ${leverage}×`}</> },
          { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
          { title: 'Entry', isNumeric: true, cell: ({ entryPrice }) => price(entryPrice) },
          { title: 'PnL', isNumeric: true, cell: (position) => <LiveResult position={position} /> },
          {
            title: 'Share', isWide: true,
            cell: ({ positionId, asset }) => (
              <button type='button' class='small' aria-label={`Share position ${positionId} in ${asset}`} onClick={() => setSharedId(positionId)}>Share</button>
            ),
          },
        ]}
      />
      {shared !== undefined && <ShareDialog position={shared} onClose={() => setSharedId(null)} />}
    </Card>
  )
}

function LiveResult({ position }: { readonly position: Position }) {
  const { received, className } = usePrice(position.asset)
  const pnl = profitByPrice(position, received?.price)
  const bps = returnOnMargin(pnl, position.collateral)
  return <span class={className}><Profit value={pnl} />{bps !== null && <span class='note'>{` ${signedPercent(bps)}`}</span>}</span>
}

function ShareDialog({ position, onClose }: { readonly position: Position; readonly onClose: () => void }) {
  const { feed } = useParts()
  const [isExact, setExact] = useState(false)
  const [message, setMessage] = useState('')
  const dialog = useRef<HTMLDialogElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { received } = usePrice(position.asset)
  // Of the moment in which it was opened: a picture does not change while it is looked at.
  const priceThen = useRef(received?.price)
  const texts = textsOf(position, { currentPrice: priceThen.current, isExact, nowSec: feed.serverTimeSec() })
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (canvas.current !== null && texts !== null) drawShare(canvas.current, texts)
  }, [isExact])

  async function copy(): Promise<void> {
    if (canvas.current === null) return
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(canvas.current) })])
      setMessage('Copied.')
    } catch {
      setMessage('The browser blocked access to the clipboard. Save the picture instead.')
    }
  }

  async function save(): Promise<void> {
    if (canvas.current !== null) saveFile(`position-${position.positionId}.png`, await pngOf(canvas.current))
  }

  return (
    <dialog ref={dialog} aria-label='Share the position' onClose={onClose}>
      <div class='stack'>
        <div class='row'>
          <h2 class='grow'>Share the position</h2>
          <button type='button' onClick={() => dialog.current?.close()}>Close</button>
        </div>
        {texts === null ? <p class='note problem'>The price of {position.asset} is not known, so the result cannot be shown.</p> : (
          <>
            <canvas
              class='share' ref={canvas} width={PICTURE.width} height={PICTURE.height} role='img'
              aria-label={[texts.title, texts.result, ...texts.facts.map((fact) => fact.join(' '))].join(', ')}
            />
            <label class='check'>
              <input type='checkbox' checked={isExact} onChange={(event) => setExact(event.currentTarget.checked)} /> Show amounts in USDC
            </label>
            <div class='row'>
              <button type='button' class='main' onClick={() => void save()}>Save the picture</button>
              <button type='button' onClick={() => void copy()}>Copy the picture</button>
              <span class='note' role='status'>{message}</span>
            </div>
          </>
        )}
      </div>
    </dialog>
  )
}

interface Moment {
  readonly currentPrice: string | undefined
  /** Amounts are shown, which say how rich the account is. */
  readonly isExact: boolean
  readonly nowSec: number
}

/** Null while the price is not known. */
function textsOf(position: Position, { currentPrice, isExact, nowSec }: Moment): ShareTexts | null {
  const pnl = profitByPrice(position, currentPrice)
  const bps = returnOnMargin(pnl, position.collateral)
  if (pnl === null || bps === null || currentPrice === undefined) return null
  return {
    title: `${position.asset} ${sideOf(position.direction).toLowerCase()}, ${position.leverage}×`, isLong: position.direction === 0,
    result: signedPercent(bps), isGain: bps >= 0,
    facts: [
      ['Entry', price(position.entryPrice)], ['Price', price(currentPrice)],
      ...(isExact ? [['Size', amount(position.size)], ['PnL', signed(pnl)]] as const : []),
    ],
    footer: `Result on margin, by price, at ${dateTime(nowSec)}`,
  }
}
