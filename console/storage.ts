// A string in the browser's storage. The user may have blocked storage, and other scripts of this origin may have written to it: failures count as "no value".

export interface StoredString {
  read(): string | null
  write(value: string): void
  remove(): void
}

/** `getStorage` is called for each access because the getters of `localStorage` and `sessionStorage` throw when storage is blocked. */
export function createStoredString(getStorage: () => Storage, key: string): StoredString {
  function attempt<T>(access: (storage: Storage) => T): T | null {
    try {
      return access(getStorage())
    } catch {
      return null
    }
  }
  return {
    read: () => attempt((storage) => storage.getItem(key)),
    write: (value) => void attempt((storage) => storage.setItem(key, value)),
    remove: () => void attempt((storage) => storage.removeItem(key)),
  }
}
