// Reads a resource while a component is on the page.

import { useEffect, useMemo } from 'preact/hooks'
import type { Answer, Client } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { createResource } from './resource.ts'
import type { Resource, ResourceOptions } from './resource.ts'

interface UseOptions<Body> extends Pick<ResourceOptions<Body>, 'isManual' | 'isIncomplete'> {
  readonly isEnabled?: boolean
}

/** `dependencies`: what `read` depends on. When one of them changes, the content is cleared and read again. Nothing is read unless `isEnabled`. */
export function useResource<Body>(
  title: string, read: (client: Client) => Promise<Answer<Body>>, dependencies: readonly unknown[] = [],
  { isEnabled = true, ...options }: UseOptions<Body> = {},
): Resource<Body> {
  const { feed, session } = useParts()
  const resource = useMemo(() => createResource({ feed, session, title, read, ...options }), dependencies)
  useEffect(() => (isEnabled ? resource.show() : undefined), [resource, isEnabled])
  return resource
}
