// The places of the account's positions in the queues of auto-deleveraging, which contracts have from generation 2 on.

import { useResource } from '../state/use-resource.ts'
import { adlPlaces } from './adl-places.ts'
import type { AdlPlace } from './adl-places.ts'

const QUINTILES = 5

/** By position id. Null while they are not known. */
export function useAdlPlaces(positions: readonly { readonly asset: string }[], isEnabled: boolean): ReadonlyMap<number, AdlPlace> | null {
  const assets = [...new Set(positions.map(({ asset }) => asset))].toSorted().join(' ')
  const queues = useResource('Auto-deleveraging', async (client) => {
    const answers = await Promise.all(assets.split(' ').map((asset) => client.getAdlQueue({ asset })))
    const [first] = answers
    if (first === undefined) throw new TypeError('split returns at least one part')
    return { ...first, body: answers.map(({ body }) => body) }
  }, [assets], { isEnabled: isEnabled && assets !== '' }).answer.value?.body
  return queues === undefined || queues.some(({ degraded }) => degraded) ? null : adlPlaces(queues)
}

/** Five marks for the positions that are closed first, and the rank. `place`: undefined if the position is not in the queue. */
export function Adl({ place, isKnown }: { readonly place: AdlPlace | undefined; readonly isKnown: boolean }) {
  if (place === undefined) {
    const [mark, reason] = isKnown ? ['–', 'Not in the queue: only positions in profit are.'] : ['?', 'The place in the queue is not known.']
    return <span title={reason}><span aria-hidden>{mark}</span><span class='visually-hidden'>{reason}</span></span>
  }
  const { rank, of, quintile } = place
  const text = `Place ${rank} of ${of} in the auto-deleveraging queue, fifth ${quintile} of ${QUINTILES}${quintile === 1 ? ': closed first' : ''}`
  const marks = QUINTILES + 1 - quintile
  return (
    <span class={quintile === 1 ? 'warn' : ''} title={text}>
      <span aria-hidden>{`${'▮'.repeat(marks)}${'▯'.repeat(QUINTILES - marks)}`} <span class='second'>{`${rank} of ${of}`}</span></span>
      <span class='visually-hidden'>{text}</span>
    </span>
  )
}
