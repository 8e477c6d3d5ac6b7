// The mark of a market: its first letter on a shape and a tone that follow from its symbol. No project's own logo is used.

const SHAPES = [
  'M12 1a11 11 0 1 1 0 22a11 11 0 0 1 0-22z',
  'M12 1l9.5 5.5v11L12 23l-9.5-5.5v-11z',
  'M7 1h10a6 6 0 0 1 6 6v10a6 6 0 0 1-6 6H7a6 6 0 0 1-6-6V7a6 6 0 0 1 6-6z',
  'M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9z',
] as const
const TONES = 8

/** The words beside it say the same. */
export function AssetIcon({ asset }: { readonly asset: string }) {
  const hash = hashOf(asset)
  return (
    <svg class={`asset-icon tone-${hash % TONES}`} viewBox='0 0 24 24' aria-hidden='true' focusable='false'>
      <path d={SHAPES[Math.floor(hash / TONES) % SHAPES.length]} />
      <text x='12' y='16.5' text-anchor='middle'>{asset.slice(0, 1)}</text>
    </svg>
  )
}

/** Markets with the same first letter differ in their tone or shape. */
function hashOf(asset: string): number {
  let hash = 7
  for (const char of asset) hash = (hash * 17 + (char.codePointAt(0) ?? 0)) % 9_973
  return hash
}
