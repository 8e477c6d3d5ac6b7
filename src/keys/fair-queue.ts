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
  /** Queues an item. False when the client has too many. */
  add(client: QueueClient, id: string, item: Item): boolean
  /** Removes up to `max` items, one of each client in turn. */
  take(max: number): (readonly [id: string, item: Item])[]
  size(): number
}

export interface FairQueueOptions<Item> {
  readonly maxItems: number
  readonly maxPerClient: number
  /** Receives items that are dropped because the queue is full. */
  readonly onDropped: (item: Item) => void
}

/** How full the queue is after items were dropped. Dropping many at once bounds the average cost of a drop. */
const FULL_AFTER_DROPS = 0.9

interface Lane<Item> {
  readonly client: QueueClient
  readonly items: Map<string, Item>
}

export function createFairQueue<Item>({ maxItems, maxPerClient, onDropped }: FairQueueOptions<Item>): FairQueue<Item> {
  /** By client, in the order of their turns. */
  const lanes = new Map<string, Lane<Item>>()
  let size = 0

  /** Keeps the first items of a lane, and drops the newer ones. */
  function trim(lane: Lane<Item>, keep: number): void {
    for (const [id, item] of [...lane.items].slice(keep)) {
      lane.items.delete(id)
      size -= 1
      onDropped(item)
    }
    if (lane.items.size === 0) lanes.delete(lane.client.bucket)
  }

  /** Gives each wide network the same share, and each client the same share of that. Networks and clients below their share lose nothing. */
  function makeRoom(): void {
    const target = Math.floor(maxItems * FULL_AFTER_DROPS)
    const networks = [...Map.groupBy(lanes.values(), ({ client }) => client.wide).values()]
    const share = Math.max(1, Math.floor(target / networks.length))
    for (const network of networks) {
      if (network.reduce((sum, { items }) => sum + items.size, 0) <= share) continue
      const perClient = Math.max(1, Math.floor(share / network.length))
      for (const [position, lane] of network.entries()) trim(lane, position < share ? perClient : 0)
    }
    // Only if there are more networks than places.
    for (const lane of [...lanes.values()].slice(target)) trim(lane, 0)
  }

  return {
    get: (client, id) => lanes.get(client.bucket)?.items.get(id),
    add(client, id, item) {
      if ((lanes.get(client.bucket)?.items.size ?? 0) >= maxPerClient) return false
      if (size >= maxItems) makeRoom()
      const lane = lanes.get(client.bucket) ?? { client, items: new Map<string, Item>() }
      lanes.set(client.bucket, lane)
      lane.items.set(id, item)
      size += 1
      return true
    },
    take(max) {
      const taken: (readonly [string, Item])[] = []
      for (let [lane] = lanes.values(); lane !== undefined && taken.length < max; [lane] = lanes.values()) {
        const [first] = lane.items
        if (first !== undefined) {
          taken.push(first)
          lane.items.delete(first[0])
          size -= 1
        }
        // The next turn of this client comes after those of the others.
        lanes.delete(lane.client.bucket)
        if (lane.items.size > 0) lanes.set(lane.client.bucket, lane)
      }
      return taken
    },
    size: () => size,
  }
}
