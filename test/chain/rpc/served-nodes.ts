import { afterEach } from 'vitest';
import { systemClock, type TestableClock } from '../../../src/chain/async.ts';
import type { ChainSource, KnownBlock } from '../../../src/chain/chain-source.ts';
import {
  type JsonRpcServer,
  type JsonRpcServerOptions,
  startJsonRpcServer,
} from '../../helpers/json-rpc-server.ts';
import { createScriptedChain, type ScriptedChain } from '../../helpers/scripted-chain.ts';
import { type Followed, follow } from './followed.ts';

/** Waits are cut to a tenth, so that a pause of 30 s is not waited for; the wall clock stays as it is. */
export const hurried: TestableClock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms / 10, signal),
};

export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Nodes of a file of tests and what follows them; both end with each test. Call it at the file's top. */
export function servedNodes() {
  const servers: JsonRpcServer[] = [];
  const subscriptions: Followed[] = [];
  afterEach(async () => {
    await Promise.all(subscriptions.splice(0).map((each) => each.stop()));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  const serve = async (chain: ScriptedChain, options: JsonRpcServerOptions = {}): Promise<JsonRpcServer> => {
    const server = await startJsonRpcServer(chain, options);
    servers.push(server);
    return server;
  };
  const following = (source: ChainSource, known: readonly KnownBlock[] = []): Followed => {
    const followed = follow(source, known);
    subscriptions.push(followed);
    return followed;
  };
  const followNode = async <Source extends ChainSource>(
    sourceOf: (node: JsonRpcServer) => Source,
    options: JsonRpcServerOptions = {},
  ) => {
    const chain = createScriptedChain({ length: 10 });
    const node = await serve(chain, options);
    const source = sourceOf(node);
    const followed = following(source);
    await followed.until((words) => words.includes('block 9'));
    return { chain, node, source, followed };
  };
  return { serve, following, followNode };
}
