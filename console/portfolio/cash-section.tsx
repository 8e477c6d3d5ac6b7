// The cash ledger of an account: every movement of USDC between it and the exchange, page by page, and as a file.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CashMovement } from '../../client/src/index.ts'
import { amount, dateTime } from '../format.ts'
import { useParts } from '../parts.ts'
import { saveFile } from '../save-file.ts'
import { useListPage } from '../state/use-list-page.ts'
import { CASH_KINDS } from '../trade/account-lists.tsx'
import { SelectField } from '../ui/field.tsx'
import { Card, Fresh, ReadNote } from '../ui/layout.tsx'
import { ExplorerLink } from '../ui/links.tsx'
import { Pager } from '../ui/pager.tsx'
import { ProblemText } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Profit } from '../ui/text.tsx'
import { createCashExport, EXPORT_ROWS_MAX } from './cash-export.ts'
import type { Exporting, ReadLedger } from './cash-export.ts'
import { fileName } from './csv.ts'

const ROWS_PER_PAGE = 50
const ALL = 'all'
const KINDS: readonly (readonly [string, string])[] = [[ALL, 'All movements'], ...Object.entries(CASH_KINDS)]

export interface CashSectionProps {
  readonly title: string
  readonly address: string
  readonly read: ReadLedger
}

export function CashSection({ title, address, read }: CashSectionProps) {
  const [kind, setKind] = useState(ALL)
  const filter = kind === ALL ? {} : { kind: kind as CashMovement['kind'] }
  const pages = useListPage('Cash', (client, cursor) => read(client, { limit: ROWS_PER_PAGE, ...filter, ...cursor }), [address, kind])
  const body = pages.list.answer.value?.body ?? null
  const rows = (body?.ledger ?? []).map((movement, index) => ({ ...movement, key: `${movement.seq} ${movement.balanceOf} ${index}` }))
  return (
    <Card title={title}>
      <div class='row ends'>
        <SelectField label='Kind of movement' value={kind} options={KINDS} onChange={setKind} />
        <Export address={address} read={read} />
      </div>
      <Fresh resource={pages.list}>
        <Table
          caption='Movements of USDC between the account and the exchange, newest first' rows={rows} keyOf={({ key }) => key} isLoading={body === null}
          empty={kind === ALL ? 'No movements yet. They begin with the first deposit or trade.' : 'No movements of this kind.'}
          columns={[
            { title: 'Time', cell: ({ ts }) => dateTime(ts) },
            { title: 'Type', cell: (movement) => CASH_KINDS[movement.kind] ?? movement.kind },
            { title: 'Amount', isNumeric: true, cell: (movement) => <Profit value={movement.amount} decimals={7} /> },
            { title: 'Balance', cell: ({ balanceOf }) => (balanceOf === 'wallet' ? 'Wallet' : 'Cross margin') },
            { title: 'Fee', isNumeric: true, isMinor: true, cell: ({ fee }) => (fee === null ? '' : amount(fee)) },
            { title: 'Funding', isNumeric: true, isMinor: true, cell: ({ funding }) => (funding === null ? '' : amount(funding)) },
            { title: 'Concerns', isMinor: true, cell: concernOf },
            { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
          ]}
        />
      </Fresh>
      {body !== null && body.gaps.length > 0 && <p class='note warn'>The history of these rows lacks ledgers, so movements may be missing.</p>}
      <Pager pages={pages} name='the cash ledger' />
      <ReadNote resource={pages.list} />
    </Card>
  )
}

function concernOf({ positionId, orderId, vaultId }: CashMovement): string {
  return [
    positionId === null ? '' : `position ${positionId}`, orderId === null ? '' : `order ${orderId}`, vaultId === null ? '' : `vault ${vaultId}`,
  ].filter((each) => each !== '').join(', ')
}

function Export({ address, read }: Pick<CashSectionProps, 'address' | 'read'>) {
  const { session, feed } = useParts()
  const cash = useMemo(createCashExport, [address])
  useEffect(() => () => cash.cancel(), [cash])
  const { value } = cash.state
  const start = (isNextPart: boolean): void => void cash.run(session.client(), read, {
    isNextPart, save: (text, part) => saveFile(fileName({ account: address, nowSec: feed.serverTimeSec(), part }), new Blob([text], { type: 'text/csv' })),
  })
  const isWorking = value.kind === 'working'
  return (
    <div class='row ends'>
      <div class='row'>
        <button type='button' onClick={() => (isWorking ? cash.cancel() : start(false))}>{isWorking ? 'Cancel the export' : 'Export as CSV'}</button>
        {value.kind === 'done' && value.next !== null && <button type='button' onClick={() => start(true)}>Export the next part</button>}
      </div>
      <p class='note' role='status'>{value.kind === 'failed' ? <>No file was saved. <ProblemText problem={value.problem} /></> : progressOf(value)}</p>
    </div>
  )
}

const count = (rows: number): string => `${rows.toLocaleString('en-GB')} ${rows === 1 ? 'row' : 'rows'}`

function progressOf(value: Exclude<Exporting, { readonly kind: 'failed' }>): string {
  switch (value.kind) {
    case 'idle': return `All kinds, exact amounts, at most ${count(EXPORT_ROWS_MAX)} in one file.`
    case 'working': return `${count(value.rows)} read…${value.waitSec === null ? '' : ` The rate limit is reached: continues in ${value.waitSec} s.`}`
    case 'done': {
      const end = value.next === null ? 'The ledger is complete.' : `Older rows follow: one file has at most ${count(EXPORT_ROWS_MAX)}.`
      const gaps = value.gaps === 0 ? '' : ' The gateway lacks some ledgers of this time, so movements may be missing.'
      return `${count(value.rows)} saved. ${value.part > 1 && value.next === null ? 'This is the last part.' : end}${gaps}`
    }
  }
}
