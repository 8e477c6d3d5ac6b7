// Named values about the chain, such as its head and timeline.

import type { LedgerDatabase } from './database.ts'

export interface MetadataStore {
  read(name: string): string | undefined
  write(name: string, value: string): void
}

export function createMetadataStore({ sql }: LedgerDatabase): MetadataStore {
  const read = sql.prepare('select value from facts where name = ?')
  const write = sql.prepare('insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value')
  return {
    read(name) {
      const value = read.get(name)?.['value']
      return typeof value === 'string' ? value : undefined
    },
    write: (name, value) => void write.run(name, value),
  }
}
