// Trading: the order form, the review before signing, and the outcome. The gateway prepares, the client verifies, the wallet signs. The gateway never
// receives the secret key.

import { ContractFailure, RefusedToSign, UnknownOutcome } from '../../client/src/index.ts'
import type { ContractAddresses, Traded, TradeRequest } from '../../client/src/index.ts'
import { createAccountView } from '../account.ts'
import { card, createTable, el, facts, setChildren } from '../dom.ts'
import type { Child } from '../dom.ts'
import type { Operation } from '../operations.ts'
import { OPERATIONS } from '../operations.ts'
import { createOrderForm } from '../order-form.ts'
import type { Page, PageParts } from '../page.ts'
import { reasonOf } from '../problems.ts'
import { Declined, review } from '../review.ts'
import type { Session } from '../session.ts'

export function createTradePage({ feed, session, markets }: PageParts): Page {
  const outcome = createOutcome(session)
  const missing = el('p', { class: 'note warn' })
  const account = createAccountView({
    feed, session, isGeneration2: () => isGeneration2,
    onAction: (op, id) => form.prefill(op, new Map([[op === 'cancel_order' ? 'orderId' : 'positionId', String(id)]])),
  })
  const form = createOrderForm({ feed, markets, ids: account.ids, onRequest: (request) => void trade(request) })
  let contracts: ContractAddresses | null = null
  let isGeneration2 = false

  async function trade(request: TradeRequest): Promise<void> {
    const wallet = session.wallet()
    if (wallet === null || session.key() === null) {
      const missingPart = wallet === null ? 'No wallet is connected. ' : 'No API key is in use. '
      outcome.show('bad', el('p', {}, missingPart, el('a', { href: '#/keys' }, 'Wallet and keys')))
      return
    }
    form.setBusy(true)
    outcome.show('', el('p', {}, 'The gateway is preparing the transaction…'))
    try {
      contracts ??= addressesOf(await session.client().getHealth())
      const walletNote = wallet.kind === 'freighter' ? 'Freighter will ask you to confirm.' : 'The burner wallet signs without asking again.'
      const traded = await session.client().trade(request, {
        onVerified: (transaction) => review(transaction, { contracts, walletNote }),
        onSigned: ({ hash }) => outcome.show('', el('p', {}, 'Signed and sent. Waiting for a ledger to include it…'), hashElement(hash)),
      })
      outcome.showTraded(request, traded)
    } catch (error) {
      outcome.showFailure(error)
    } finally {
      form.setBusy(false)
    }
  }

  /** The contracts can be upgraded while the page is open. Without health, the page keeps what it offers. */
  async function readGeneration(): Promise<void> {
    const health = await session.client().getHealth().catch(() => null)
    if (health === null) return
    const { contracts: { market: { generation } }, market: { pauseState } } = health.body
    // The gateway reads the contracts' code a moment after its start. Only generation 2 has a pause state.
    const found = generation === null ? pauseState.supported || isGeneration2 : generation !== '1'
    if (found === isGeneration2) return
    isGeneration2 = found
    form.setGeneration2(isGeneration2)
    account.updateActions()
  }

  function updateMissing(): void {
    const text = session.wallet() === null ? 'Trading needs a wallet that signs' : session.key() === null ? 'Trading needs an API key' : null
    missing.hidden = text === null
    if (text !== null) setChildren(missing, `${text}: `, el('a', { href: '#/keys' }, 'wallet and keys'), '.')
  }

  session.onChange(updateMissing)
  updateMissing()
  return {
    title: 'Trade',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Trade'),
      el('div', { class: 'halves' },
        card('form-heading', 'Order', missing, form.element, outcome.element), account.element)),
    show() {
      account.show()
      void readGeneration()
    },
    hide: account.hide,
  }
}

interface Outcome {
  readonly element: HTMLElement
  show(kind: 'good' | 'bad' | '', ...children: readonly Child[]): void
  showTraded(request: TradeRequest, traded: Traded): void
  showFailure(error: unknown): void
}

/** What became of the last order. */
function createOutcome(session: Session): Outcome {
  const element = el('div', { role: 'status', class: 'stack', id: 'outcome' })

  function show(kind: 'good' | 'bad' | '', ...children: readonly Child[]): void {
    setChildren(element, el('div', { class: `message stack ${kind}` }, ...children))
  }

  function showFailure(error: unknown): void {
    if (error instanceof Declined) show('', el('p', {}, error.message))
    else if (error instanceof RefusedToSign) show('bad', ...refusalElements(error))
    else if (error instanceof UnknownOutcome) showUnknown(error)
    else {
      const isFree = error instanceof ContractFailure && error.stage !== 'ledger'
      show('bad', el('p', {}, `${isFree ? 'Nothing was traded and nothing was charged' : 'Not traded'}: ${reasonOf(error)}.`))
    }
  }

  function showUnknown({ transaction }: UnknownOutcome): void {
    const checkButton = el('button', { type: 'button', click: () => void check() }, 'Check again')
    show('bad', el('p', {}, 'The transaction was signed and sent, but its outcome is not known yet. Check it before you trade again.'),
      hashElement(transaction.hash), checkButton)
    async function check(): Promise<void> {
      show('', el('p', {}, 'Checking the transaction…'), hashElement(transaction.hash))
      try {
        const { ledger } = await session.client().finish(transaction)
        show('good', el('p', { class: 'lead' }, `Done in ledger ${ledger}.`), hashElement(transaction.hash))
      } catch (error) {
        showFailure(error)
      }
    }
  }

  return {
    element,
    show,
    showFailure,
    showTraded(request, { positionId, order, ledger, hash }) {
      const { title } = OPERATIONS[request.op as Operation]
      show('good', el('p', { class: 'lead' }, `${title}: done in ledger ${ledger}.`), facts([
        ...(positionId === null ? [] : [['Position', String(positionId)]] as const),
        ...(order === null ? [] : [['Order', order.orderId === null ? 'ID unknown' : `${order.orderId}, ${order.state}`]] as const),
        ['Transaction', hashElement(hash)],
      ]))
    },
  }
}

/** The gateway is faulty or malicious. */
function refusalElements({ differences }: RefusedToSign): readonly HTMLElement[] {
  const table = createTable<(typeof differences)[number]>({
    caption: 'Your order and the prepared transaction', empty: '',
    columns: [
      { title: 'Part', cell: ({ what }) => what }, { title: 'Your order', cell: ({ expected }) => el('code', {}, expected) },
      { title: 'Prepared', cell: ({ found }) => el('code', {}, found) },
    ],
  })
  table.setRows(differences)
  return [
    el('p', { class: 'lead' }, 'Not signed: the gateway prepared a transaction that differs from your order.'),
    el('p', {}, 'Nothing was sent. Do not trade through this gateway until you know why.'),
    table.element,
  ]
}

const hashElement = (hash: string): HTMLElement => el('span', { class: 'mono' }, hash)

function addressesOf({ body }: { readonly body: { readonly contracts: Readonly<Record<string, { readonly address: string }>> } }): ContractAddresses {
  return Object.fromEntries(Object.entries(body.contracts).map(([name, { address }]) => [name, address])) as ContractAddresses
}
