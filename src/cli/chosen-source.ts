import { parseServiceUrl } from '../client/service-url.ts';
import type { Io } from './io.ts';
import { parseNodeUrl } from './setting-values.ts';
import { DEFAULT_SEED, type Settings, type SourceChoice, withSource } from './settings.ts';

const NODE_ANSWERS_WITHIN_MS = 3_000;

/** Settings for what was chosen in the monitor when nothing answered: the simulation, or a URL that was typed. */
export async function chosenSettings(
  io: Io,
  settings: Settings,
  choice: 'demo' | { readonly url: string },
): Promise<Settings> {
  if (choice === 'demo') return withSource(settings, { kind: 'simulated', seed: DEFAULT_SEED });
  const url = parseNodeUrl(choice.url.trim());
  const node: SourceChoice = { kind: 'rpc', urls: [url], isPublicDefault: false };
  if (url.protocol.startsWith('ws') || (await isNode(node))) return withSource(settings, node);
  return withSource(settings, { kind: 'hosted', url: parseServiceUrl(url.href), apiKey: envKey(io) });
}

/** A typed http URL may be a node or a service; a node says its chain id, and is asked without any key. */
async function isNode(choice: SourceChoice & { readonly kind: 'rpc' }): Promise<boolean> {
  const { openChain, reachedChainId } = await import('./open-chain.ts');
  const chain = await openChain(choice, 'real-time');
  try {
    const signal = new AbortController().signal;
    await reachedChainId(chain.source, { withinMs: NODE_ANSWERS_WITHIN_MS, signal, isPublicDefault: false });
    return true;
  } catch {
    return false;
  } finally {
    chain.close();
  }
}

function envKey(io: Io): string | null {
  return io.env.GASTOP_API_KEY?.trim() || null;
}
