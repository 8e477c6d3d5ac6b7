// What a browser keeps for a page. A user may have forbidden it, or somebody else written into it: then nothing is kept, and the page goes on.

export interface Kept {
  read(): string | null
  write(text: string): void
  forget(): void
}

/** `where` is asked for anew each time, since asking alone may be refused. */
export function createKept(where: () => Storage, place: string): Kept {
  function attempt<T>(work: (storage: Storage) => T): T | null {
    try {
      return work(where())
    } catch {
      return null
    }
  }
  return {
    read: () => attempt((storage) => storage.getItem(place)),
    write: (text) => void attempt((storage) => storage.setItem(place, text)),
    forget: () => void attempt((storage) => storage.removeItem(place)),
  }
}
