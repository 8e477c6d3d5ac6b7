// Chooses the market: a search over all of them, favourites first. The key `/` opens it.

import { useEffect, useRef, useState } from 'preact/hooks'
import { price } from '../format.ts'
import { priceFreshness } from '../freshness.ts'
import { useParts } from '../parts.ts'
import { favourites, toggleFavourite } from '../state/favourites.ts'

export function MarketSwitcher({ asset }: { readonly asset: string }) {
  const { markets } = useParts()
  const [isOpen, setIsOpen] = useState(false)
  const [search, setSearch] = useState('')
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) {
      dialog.current.showModal()
      input.current?.focus()
    } else if (!isOpen) dialog.current?.close()
  }, [isOpen])

  const wanted = search.trim().toLowerCase()
  const found = [...markets()].filter(([symbol, name]) => symbol.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted))
    .toSorted(([a], [b]) => Number(favourites.value.has(b)) - Number(favourites.value.has(a)))

  function choose(symbol: string): void {
    setIsOpen(false)
    setSearch('')
    location.hash = `#/trade/${symbol}`
  }

  return (
    <>
      <button type='button' class='switcher' aria-haspopup='dialog' aria-keyshortcuts='/' onClick={() => setIsOpen(true)}>
        {asset} <span class='note'>{markets().get(asset)}</span> ▾
      </button>
      <dialog ref={dialog} aria-label='Choose a market' onClose={() => setIsOpen(false)}>
        {isOpen && (
          <form
            class='stack'
            onSubmit={(event) => {
              event.preventDefault()
              const [first] = found
              if (first !== undefined) choose(first[0])
            }}
          >
            <input
              ref={input} type='search' aria-label='Search markets' placeholder='Search' autocomplete='off' value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
            <ul class='markets-list'>
              {found.map(([symbol, name]) => <MarketRow key={symbol} symbol={symbol} name={name} isCurrent={symbol === asset} onChoose={choose} />)}
            </ul>
            {found.length === 0 && <p class='note'>No market matches. Clear the search to see all.</p>}
            <button type='button' onClick={() => setIsOpen(false)}>Close</button>
          </form>
        )}
      </dialog>
    </>
  )
}

function MarketRow({ symbol, name, isCurrent, onChoose }: {
  readonly symbol: string
  readonly name: string
  readonly isCurrent: boolean
  readonly onChoose: (symbol: string) => void
}) {
  const { feed } = useParts()
  const now = feed.now.value
  const received = feed.price(symbol)
  const isFavourite = favourites.value.has(symbol)
  return (
    <li class='row'>
      <button type='button' class='quiet small' aria-pressed={isFavourite} aria-label={`Favourite ${symbol}`} onClick={() => toggleFavourite(symbol)}>
        {isFavourite ? '★' : '☆'}
      </button>
      <button type='button' class='quiet grow' aria-current={isCurrent ? 'true' : undefined} onClick={() => onChoose(symbol)}>
        <span>{symbol} <span class='note'>{name}</span></span>
        <span class={priceFreshness(received, now) === 'fresh' ? '' : 'stale'}>{price(received?.price ?? null)}</span>
      </button>
    </li>
  )
}
