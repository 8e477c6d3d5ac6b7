// The sender of a request, for work that requesters share (docs/decisions/fair-shares.md).

import type { FastifyRequest } from 'fastify'
import type { Requester } from '../base/fair-share.ts'

export function requesterOf({ caller }: FastifyRequest): Requester {
  return { address: caller.network.bucket, key: caller.bucket }
}
