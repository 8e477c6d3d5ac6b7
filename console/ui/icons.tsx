// Icons of the navigation, beside every entry. The words beside them say the same.

const PATHS: Readonly<Record<string, string>> = {
  trade: 'M7 4v3M7 14v4M5 7h4v7H5zM16 5v4M16 16v3M14 9h4v7h-4z',
  markets: 'M4 6h16M4 12h16M4 18h10',
  portfolio: 'M4 8h16v11H4zM8 8V5h8v3M15 13h2',
  positions: 'M4 19V9M10 19V5M16 19v-7M22 19H2',
  leaders: 'M8 4h8v5a4 4 0 0 1-8 0zM8 6H4v2a3 3 0 0 0 4 3M16 6h4v2a3 3 0 0 1-4 3M12 13v4M8 20h8',
  pool: 'M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z',
  referrals: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20a6 6 0 0 1 12 0M19 8v6M16 11h6',
  keys: 'M8 16a4 4 0 1 1 3-7l9 0v4h-3v3h-4v-2M8 12h.01',
  system: 'M3 12h4l3-8 4 16 3-8h4',
  vaults: 'M12 3l9 5-9 5-9-5zM3 13l9 5 9-5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
}

export function NavigationIcon({ name }: { readonly name: string }) {
  return (
    <svg
      viewBox='0 0 24 24' aria-hidden='true' focusable='false'
      fill='none' stroke='currentColor' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
