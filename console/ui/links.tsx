// Links to traders, and to the explorer's pages about transactions, accounts and contracts.

import type { ExplorerPage } from '../explorer.ts'
import { explorerUrl } from '../explorer.ts'
import { UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { Address } from './text.tsx'

/** A shortened hash or address, with a link to the explorer where the network has one. */
export function ExplorerLink({ page, id, length = 4 }: { readonly page: ExplorerPage; readonly id: string; readonly length?: number }) {
  const { settings } = useParts()
  const url = explorerUrl(settings, page, id)
  if (url === null) return <Address text={id} length={length} />
  return (
    <a class='external' href={url} target='_blank' rel='noopener noreferrer'>
      <Address text={id} length={length} /><span aria-hidden> ↗</span><span class='visually-hidden'> in the explorer, opens a new tab</span>
    </a>
  )
}

/** A link to the explorer's page, on networks that have an explorer; otherwise nothing. */
export function ExplorerMark({ page, id }: { readonly page: ExplorerPage; readonly id: string }) {
  const { settings } = useParts()
  return explorerUrl(settings, page, id) === null ? null : <>{' '}<ExplorerLink page={page} id={id} /></>
}

/** A market's symbol, with a link to its trade screen; null is unknown. */
export function MarketLink({ asset }: { readonly asset: string | null }) {
  return asset === null ? <>{UNKNOWN}</> : <a href={`#/trade/${encodeURIComponent(asset)}`}>{asset}</a>
}

/** An account's address, with a link to its trader page. A contract, for example of trader vaults, has such a page too. */
export function TraderLink({ address, length = 4 }: { readonly address: string; readonly length?: number }) {
  return <a href={`#/trader/${encodeURIComponent(address)}`}><Address text={address} length={length} /></a>
}

/** The explorer's page of an address, which says whether it is an account or a contract by its first letter. */
export function AddressLink({ address, length = 8 }: { readonly address: string; readonly length?: number }) {
  return <ExplorerLink page={address.startsWith('C') ? 'contract' : 'account'} id={address} length={length} />
}
