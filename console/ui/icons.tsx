// Icons of the navigation on a phone. The words beside them say the same.

const PATHS: Readonly<Record<string, string>> = {
  trade: 'M7 4v3M7 14v4M5 7h4v7H5zM16 5v4M16 16v3M14 9h4v7h-4z',
  markets: 'M4 6h16M4 12h16M4 18h10',
  portfolio: 'M4 8h16v11H4zM8 8V5h8v3M15 13h2',
  positions: 'M4 19V9M10 19V5M16 19v-7M22 19H2',
  vaults: 'M12 3l9 5-9 5-9-5zM3 13l9 5 9-5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
}
const ANY = 'M5 5h14v14H5z'

export function NavigationIcon({ name }: { readonly name: string }) {
  return (
    <svg
      viewBox='0 0 24 24' aria-hidden='true' focusable='false'
      fill='none' stroke='currentColor' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'
    >
      <path d={PATHS[name] ?? ANY} />
    </svg>
  )
}
