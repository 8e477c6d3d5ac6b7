// Chooses the market: a search over all of them, favourites first, with the figures that traders compare. The arrow keys move between the rows.

import { useEffect, useRef, useState } from 'preact/hooks'
import { amount, price, rate } from '../format.ts'
import { useParts } from '../parts.ts'
import { MARKET_SORTS, useMarketRows } from '../state/use-market-rows.ts'
import type { MarketRow } from '../state/use-market-rows.ts'
import { usePrice } from '../state/use-price.ts'
import { AssetIcon } from '../ui/asset-icon.tsx'
import { Favourite } from '../ui/favourite.tsx'
import { Choice } from '../ui/layout.tsx'
import { Change, MaxLeverage } from '../ui/text.tsx'

export function MarketSwitcher({ asset }: { readonly asset: string }) {
  const { markets } = useParts()
  const [isOpen, setIsOpen] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
    else if (!isOpen) dialog.current?.close()
  }, [isOpen])

  function choose(symbol: string): void {
    setIsOpen(false)
    location.hash = `#/trade/${symbol}`
  }

  return (
    <>
      <button type='button' class='switcher' aria-haspopup='dialog' aria-keyshortcuts='/' onClick={() => setIsOpen(true)}>
        <AssetIcon asset={asset} />{asset} <span class='note'>{markets().get(asset)}</span> ▾
      </button>
      <dialog ref={dialog} aria-label='Choose a market' onClose={() => setIsOpen(false)}>
        {isOpen && <MarketSearch current={asset} onChoose={choose} onClose={() => setIsOpen(false)} />}
      </dialog>
    </>
  )
}

function MarketSearch({ current, onChoose, onClose }: {
  readonly current: string
  readonly onChoose: (symbol: string) => void
  readonly onClose: () => void
}) {
  const { rows, sort, setSort } = useMarketRows()
  const [search, setSearch] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const wanted = search.trim().toLowerCase()
  const found = rows.filter(({ asset, name }) => asset.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted))
  useEffect(() => form.current?.querySelector('input')?.focus(), [])

  /** From the search down to the first row, between the rows, and back up. */
  function onKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const stops = [...form.current?.querySelectorAll<HTMLElement>('input, .market-row') ?? []]
    stops[stops.findIndex((stop) => stop === document.activeElement) + step]?.focus()
  }

  return (
    <form
      class='stack' ref={form} onKeyDown={onKey}
      onSubmit={(event) => {
        event.preventDefault()
        const [first] = found
        if (first !== undefined) onChoose(first.asset)
      }}
    >
      <input
        type='search' aria-label='Search markets' placeholder='Search' autocomplete='off' value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <Choice label='Sort by' options={MARKET_SORTS} value={sort} onChoose={setSort} />
      <ul class='markets-list'>
        {found.map((row) => <Row key={row.asset} row={row} isCurrent={row.asset === current} onChoose={onChoose} />)}
      </ul>
      {found.length === 0 && <p class='note'>No market matches. Clear the search to see all.</p>}
      <button type='button' onClick={onClose}>Close</button>
    </form>
  )
}

function Row({ row: { asset, name, stats, funding }, isCurrent, onChoose }: {
  readonly row: MarketRow
  readonly isCurrent: boolean
  readonly onChoose: (symbol: string) => void
}) {
  const { received, className } = usePrice(asset)
  return (
    <li class='row tight'>
      <Favourite asset={asset} />
      <button type='button' class='quiet market-row' aria-current={isCurrent ? 'true' : undefined} onClick={() => onChoose(asset)}>
        <AssetIcon asset={asset} />
        <span>{asset} <MaxLeverage stats={stats} /> <span class='note'>{name}</span></span>
        <span class={className}>{price(received?.price ?? null)}</span>
        <span><Change percent={stats?.change24h ?? null} /></span>
        <span><span class='note'>Vol </span>{amount(stats?.volume24h ?? null, 0)}</span>
        <span><span class='note'>Funding </span>{rate(funding)}</span>
      </button>
    </li>
  )
}
