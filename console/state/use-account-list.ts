// A list of the account, read while there is an API key, and again after each of its changes.

import { useEffect } from 'preact/hooks'
import type { Answer, Client } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import type { Resource } from './resource.ts'
import { useResource } from './use-resource.ts'

export function useAccountList<Body>(title: string, read: (client: Client) => Promise<Answer<Body>>): Resource<Body> {
  const { account } = useParts()
  const owner = account.owner.value
  const version = account.version.value
  const list = useResource(title, read, [owner], { isEnabled: owner !== null })
  useEffect(() => {
    if (list.answer.peek() !== null) void list.read()
  }, [version])
  return list
}
