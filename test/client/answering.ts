import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGasClient, type GasClientOptions } from '../../src/client/client.ts';
import { ClientError } from '../../src/client/errors.ts';
import type { GasClient } from '../../src/client/gas-client.ts';

export const HOST = 'gas.example.org';

export function clientOf(body: unknown, options: Partial<GasClientOptions> = {}): GasClient {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return createGasClient({ url: `https://${HOST}`, fetch: () => new Response(text), ...options });
}

export function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, '../fixtures/foreign', name), 'utf8');
}

export async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw new Error('the call failed with something that is no ClientError', { cause: error });
  }
  throw new Error('the call did not fail');
}
