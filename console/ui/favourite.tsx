// Marks a market as a favourite.

import { favourites, toggleFavourite } from '../state/favourites.ts'

export function Favourite({ asset }: { readonly asset: string }) {
  const isFavourite = favourites.value.has(asset)
  return (
    <button type='button' class='quiet small' aria-pressed={isFavourite} aria-label={`Favourite ${asset}`} onClick={() => toggleFavourite(asset)}>
      {isFavourite ? '★' : '☆'}
    </button>
  )
}
