// Trading: a form, what will be signed, and what came of it. The gateway prepares, the client verifies, the wallet signs; the gateway never has the secret.

import { ContractFailure, RefusedToSign, UnknownOutcome } from '../../client/src/index.ts'
import type { ContractAddresses, Traded, TradeRequest } from '../../client/src/index.ts'
import { createAccountView } from '../account.ts'
import { card, createTable, el, facts, refill } from '../dom.ts'
import type { Child } from '../dom.ts'
import type { Operation } from '../operations.ts'
import { OPERATIONS } from '../operations.ts'
import { createOrderForm } from '../order-form.ts'
import type { Page, PageParts } from '../page.ts'
import { reasonOf } from '../problems.ts'
import { Declined, review } from '../review.ts'

export function createTradePage(parts: PageParts): Page {
  const { feed, session, markets } = parts
  let contracts: ContractAddresses | null = null
  const outcome = el('div', { role: 'status', class: 'stack', id: 'outcome' })
  const needs = el('p', { class: 'note warn' })

  const account = createAccountView({
    feed, session, onWish: (op, id) => form.begin(op, new Map([[op === 'cancel_order' ? 'orderId' : 'positionId', String(id)]])),
  })
  const form = createOrderForm({ feed, markets, ids: account.ids, onRequest: (request) => void trade(request) })

  function tell(kind: 'good' | 'bad' | '', ...children: readonly Child[]): void {
    refill(outcome, el('div', { class: `told stack ${kind}` }, ...children))
  }

  async function trade(request: TradeRequest): Promise<void> {
    const wallet = session.wallet()
    if (wallet === null || session.key() === null) {
      const missing = wallet === null ? 'There is no wallet to sign. ' : 'There is no key to trade with. '
      tell('bad', el('p', {}, missing, el('a', { href: '#/keys' }, 'Wallet and keys')))
      return
    }
    form.busy(true)
    tell('', el('p', {}, 'The gateway prepares the transaction…'))
    try {
      contracts ??= addressesOf(await session.client().getHealth())
      const how = wallet.kind === 'freighter' ? 'Freighter will ask you once more.' : 'The throw-away wallet signs at once.'
      const traded = await session.client().trade(request, {
        onVerified: (transaction) => review(transaction, { contracts, wallet: how }),
        onSigned: ({ hash }) => tell('', el('p', {}, 'Signed and sent. Waiting for a ledger to take it…'), hashOf(hash)),
      })
      tellTraded(request, traded)
    } catch (error) {
      tellFailure(error)
    } finally {
      form.busy(false)
    }
  }

  function tellTraded(request: TradeRequest, traded: Traded): void {
    const { positionId, order } = traded
    const title = OPERATIONS[request.op as Operation].title
    tell('good', el('p', { class: 'lead' }, `${title}: done in ledger ${traded.ledger}.`), facts([
      ...(positionId === null ? [] : [['Position', String(positionId)]] as const),
      ...(order === null ? [] : [['Order', order.orderId === null ? 'its number could not be told' : `${order.orderId}, ${order.state}`]] as const),
      ['Transaction', hashOf(traded.hash)],
    ]))
  }

  function tellFailure(error: unknown): void {
    if (error instanceof Declined) tell('', el('p', {}, error.message))
    else if (error instanceof RefusedToSign) tellRefusal(error)
    else if (error instanceof UnknownOutcome) tellUnknown(error)
    else {
      const isFree = error instanceof ContractFailure && error.stage !== 'ledger'
      tell('bad', el('p', {}, `${isFree ? 'Nothing was traded and nothing was charged' : 'Not traded'}: ${reasonOf(error)}.`))
    }
  }

  /** The gateway is broken, or lies. */
  function tellRefusal({ differences }: RefusedToSign): void {
    const table = createTable<(typeof differences)[number]>({
      caption: 'What was prepared, against what was asked for', empty: '',
      columns: [
        { title: 'What', cell: ({ what }) => what }, { title: 'Asked for', cell: ({ expected }) => el('code', {}, expected) },
        { title: 'Prepared', cell: ({ found }) => el('code', {}, found) },
      ],
    })
    table.put(differences)
    tell('bad',
      el('p', { class: 'lead' }, 'Refused to sign: this gateway prepared something else than you asked for.'),
      el('p', {}, 'Nothing was signed, and nothing was sent. Do not trade through this gateway before you know why.'), table.element)
  }

  function tellUnknown({ transaction }: UnknownOutcome): void {
    const look = el('button', { type: 'button', click: () => void finish() }, 'Ask again')
    const says = 'It was signed and sent, and it is not known what became of it. Do not trade again before you know.'
    tell('bad', el('p', {}, says), hashOf(transaction.hash), look)
    async function finish(): Promise<void> {
      tell('', el('p', {}, 'Asking the network…'), hashOf(transaction.hash))
      try {
        const { ledger } = await session.client().finish(transaction)
        tell('good', el('p', { class: 'lead' }, `It was done, in ledger ${ledger}.`), hashOf(transaction.hash))
      } catch (error) {
        tellFailure(error)
      }
    }
  }

  function look(): void {
    const missing = session.wallet() === null ? 'A wallet has to sign' : session.key() === null ? 'A key has to be shown to the gateway' : null
    needs.hidden = missing === null
    if (missing !== null) refill(needs, `${missing}: `, el('a', { href: '#/keys' }, 'wallet and keys'), '.')
  }

  session.onChange(look)
  look()
  return {
    title: 'Trade',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Trade'),
      el('div', { class: 'halves' },
        card('form-heading', 'An operation', needs, form.element, outcome), account.element)),
    show: account.show,
    hide: account.hide,
  }
}

const hashOf = (hash: string): HTMLElement => el('span', { class: 'mono' }, hash)

function addressesOf({ body }: { readonly body: { readonly contracts: Readonly<Record<string, { readonly address: string }>> } }): ContractAddresses {
  return Object.fromEntries(Object.entries(body.contracts).map(([name, { address }]) => [name, address])) as ContractAddresses
}
