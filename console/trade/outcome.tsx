// The outcome of the last order that was sent.

import type { RefusedToSign } from '../../client/src/index.ts'
import { orderState } from '../activity-text.ts'
import { useParts } from '../parts.ts'
import { Facts } from '../ui/layout.tsx'
import { ExplorerLink } from '../ui/links.tsx'
import { ProblemText } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import type { Sender } from './send.ts'
import type { Sending } from './sequence.ts'

/** Shows hashes whole. */
const HASH_LENGTH = 32

/** `id`: of the element, where a page has another one. */
export function Outcome({ sender, id = 'outcome' }: { readonly sender: Sender; readonly id?: string }) {
  return <div id={id} role='status' class='stack'><OutcomeMessage sending={sender.sending.value} sender={sender} /></div>
}

function OutcomeMessage({ sending, sender }: { readonly sending: Sending; readonly sender: Sender }) {
  switch (sending.kind) {
    case 'idle': return null
    case 'working': return (
      <div class='message stack'>
        <p>{sending.steps === 1 ? sending.text : `${sending.step} of ${sending.steps}, ${sending.title}: ${sending.text}`}</p>
        {sending.hash !== null && <p class='mono'><ExplorerLink page='tx' id={sending.hash} length={HASH_LENGTH} /></p>}
      </div>
    )
    case 'done': return <Done {...sending} />
    case 'stopped': return (
      <div class='message stack bad'>
        <p><ProblemText problem={sending.problem} /></p>
        {sending.effect !== '' && <p>{sending.effect}</p>}
        {sending.canResume && <button type='button' onClick={() => void sender.resume()}>Send the rest again</button>}
      </div>
    )
    case 'refused': return <Refusal error={sending.error} effect={sending.effect} />
    case 'unknown': return (
      <div class='message stack bad'>
        <p>The transaction was signed and sent, but its outcome is not known yet. Check it before you trade again.</p>
        {sending.effect !== '' && <p>{sending.effect}</p>}
        <p class='mono'><ExplorerLink page='tx' id={sending.error.transaction.hash} length={HASH_LENGTH} /></p>
        <button type='button' onClick={() => void sender.check(sending.error)}>Check again</button>
      </div>
    )
  }
}

function Done({ title, traded: { positionId, order, ledger, hash } }: Extract<Sending, { kind: 'done' }>) {
  return (
    <div class='message stack good'>
      <p class='lead'>{`${title}: done in ledger ${ledger}.`}</p>
      <Facts
        rows={[
          ...(positionId === null ? [] : [['Position', String(positionId)] as const]),
          ...(order === null ? [] : [['Order', order.orderId === null ? 'ID unknown' : <OrderState orderId={order.orderId} state={order.state} />] as const]),
          ['Transaction', <span class='mono'><ExplorerLink page='tx' id={hash} length={HASH_LENGTH} /></span>],
        ]}
      />
    </div>
  )
}

/** The order's state, which the message follows until the form changes. */
function OrderState({ orderId, state }: { readonly orderId: number; readonly state: string }) {
  const { activity } = useParts()
  const latest = activity.order(orderId)
  return <>{`${orderId}, ${latest === undefined ? state : orderState(latest)}`}</>
}

/** The gateway is faulty or malicious. */
function Refusal({ error, effect }: { readonly error: RefusedToSign; readonly effect: string }) {
  return (
    <div class='message stack bad'>
      <p class='lead'>Not signed: the gateway prepared a transaction that differs from your order.</p>
      <p>{effect === '' ? 'Nothing was sent.' : effect} Do not trade through this gateway until you know why.</p>
      <Table
        caption='Your order and the prepared transaction' empty='' rows={error.differences} keyOf={({ what }) => what}
        columns={[
          { title: 'Part', cell: ({ what }) => what },
          { title: 'Your order', cell: ({ expected }) => <code>{expected}</code> },
          { title: 'Prepared', cell: ({ found }) => <code>{found}</code> },
        ]}
      />
    </div>
  )
}
