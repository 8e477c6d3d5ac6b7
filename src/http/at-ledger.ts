// Rejects `at_ledger` where it is not supported. Ignoring it would answer with the present state.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { validationFailure } from './errors.ts'

const PARAMETER = 'at_ledger'

/** Adds the check to every route whose schema does not have the parameter. */
export function rejectUnsupportedAtLedger(app: FastifyInstance): void {
  const hook = (request: FastifyRequest, _reply: FastifyReply, proceed: (error?: Error) => void): void => {
    const isGiven = Object.hasOwn(request.query as object, PARAMETER)
    if (isGiven) proceed(validationFailure(`querystring/${PARAMETER}`, 'is not supported: this endpoint returns the present state only'))
    else proceed()
  }

  app.addHook('onRoute', (route) => {
    const { properties = {} } = (route.schema?.querystring ?? {}) as { readonly properties?: object }
    if (Object.hasOwn(properties, PARAMETER)) return
    const earlier = route.preValidation === undefined ? [] : [route.preValidation].flat()
    // Fastify derives HEAD routes from GET routes, which already have the hook.
    if (!earlier.includes(hook)) route.preValidation = [hook, ...earlier]
  })
}
