/** Where no prices come, as long as this is waited for them. */
const LATEST_MS = 2_000;

/** The moment from which on there is time for what the first prices do not need: their code, and their questions. */
export interface PricesShown {
  /** Resolves when the first prices are on the screen, or late. */
  readonly shown: Promise<void>;
  /** They are. */
  readonly tell: () => void;
}

export function createPricesShown(): PricesShown {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, LATEST_MS).unref();
  return { shown: promise, tell: resolve };
}
