// A bounded queue that clients share fairly: they take turns, and when it is full, those of the most crowded networks lose their newest items.

/** The network addresses that clients are counted by. */
export interface QueueClient {
  /** The client's own network. */
  readonly bucket: string
  /** The network around it. */
  readonly wide: string
}

export interface FairQueue<Item> {
  /** The client's item with this id; undefined when it is not queued. */
  get(client: QueueClient, id: string): Item | undefined
  /** Queues an item. A client that has too many loses its oldest one, so that a burst that is over does not turn the next item away. */
  add(client: QueueClient, id: string, item: Item): void
  /** Removes up to `max` items, one of each client in turn. */
  take(max: number): (readonly [id: string, item: Item])[]
  size(): number
}

export interface FairQueueOptions<Item> {
  readonly maxItems: number
  readonly maxPerClient: number
  /** Receives items that are dropped because the queue, or the client's part of it, is full. */
  readonly onDropped: (item: Item) => void
}

/** How full the queue is after items were dropped. Dropping many at once bounds the average cost of a drop. */
const FULL_AFTER_DROPS = 0.9

interface ClientQueue<Item> {
  readonly client: QueueClient
  readonly items: Map<string, Item>
}

export function createFairQueue<Item>({ maxItems, maxPerClient, onDropped }: FairQueueOptions<Item>): FairQueue<Item> {
  /** By client, in the order of their turns. */
  const queues = new Map<string, ClientQueue<Item>>()
  let size = 0

  function drop(queue: ClientQueue<Item>, ids: Iterable<string>): void {
    for (const id of ids) {
      const item = queue.items.get(id)
      if (item !== undefined) onDropped(item)
      if (queue.items.delete(id)) size -= 1
    }
    if (queue.items.size === 0) queues.delete(queue.client.bucket)
  }

  /** Keeps the first items of a queue, and drops the newer ones. */
  function trim(queue: ClientQueue<Item>, keep: number): void {
    drop(queue, [...queue.items.keys()].slice(keep))
  }

  /** Gives each wide network the same share, and each client the same share of that. Networks and clients below their share lose nothing. */
  function makeRoom(): void {
    const target = Math.floor(maxItems * FULL_AFTER_DROPS)
    const networks = [...Map.groupBy(queues.values(), ({ client }) => client.wide).values()]
    const share = Math.max(1, Math.floor(target / networks.length))
    for (const network of networks) {
      if (network.reduce((sum, { items }) => sum + items.size, 0) <= share) continue
      const perClient = Math.max(1, Math.floor(share / network.length))
      for (const [position, queue] of network.entries()) trim(queue, position < share ? perClient : 0)
    }
    // Only if there are more networks than places.
    for (const queue of [...queues.values()].slice(target)) trim(queue, 0)
  }

  return {
    get: (client, id) => queues.get(client.bucket)?.items.get(id),
    add(client, id, item) {
      const own = queues.get(client.bucket)
      if (own !== undefined && own.items.size >= maxPerClient) drop(own, own.items.keys().take(1))
      if (size >= maxItems) makeRoom()
      const queue = queues.get(client.bucket) ?? { client, items: new Map<string, Item>() }
      queues.set(client.bucket, queue)
      queue.items.set(id, item)
      size += 1
    },
    take(max) {
      const taken: (readonly [string, Item])[] = []
      for (let [queue] = queues.values(); queue !== undefined && taken.length < max; [queue] = queues.values()) {
        const [first] = queue.items
        if (first !== undefined) {
          taken.push(first)
          queue.items.delete(first[0])
          size -= 1
        }
        // The next turn of this client comes after those of the others.
        queues.delete(queue.client.bucket)
        if (queue.items.size > 0) queues.set(queue.client.bucket, queue)
      }
      return taken
    },
    size: () => size,
  }
}
