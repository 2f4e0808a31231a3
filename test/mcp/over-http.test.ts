import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { withMcp } from '../../src/cli/commands/serve-mcp.ts';
import { SIGNED_BODY_BYTES } from '../../src/contract/choices.ts';
import { SIMULATED_CHAIN_ID } from '../../src/core/chains.ts';
import { BODY_BYTES } from '../../src/service/http/body.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { serveService, shareServedService } from '../helpers/served-service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RawConnection } from '../service/fuzz/raw-connection.ts';
import {
  callTool,
  overHttp,
  PATIENT,
  PRIVATE_KEY,
  READ_TOOLS,
  REVISIONS,
  signedTransfer,
  toolError,
  WRITE_TOOLS,
} from './mcp-client.ts';

const UNLIMITED = { dailyLimit: null, perSecond: null };
const PLANS = {
  reads: UNLIMITED,
  writes: { ...UNLIMITED, mcpWrites: true },
  three: { dailyLimit: 3, perSecond: null },
  prices: { ...UNLIMITED, groups: ['gas'] as const },
};
const served = shareServedService(() => ({
  source: createSimulatedSource({ seed: 1 }),
  plans: PLANS,
  mount: withMcp,
  // No midnight comes between a request and what is said of the quota.
  gateNow: () => Date.UTC(2026, 10, 20, 12),
}));

const Rows = z.object({ data: z.array(z.object({ hash: z.string() })).min(1) });
const Made = z.object({ id: z.string(), usedToday: z.number() }).partial();

async function readyService() {
  const service = served();
  await waitFor(async () => (await service.get('/gas/current')).status === 200, { what: 'prices' });
  return service;
}

describe.each(REVISIONS)('MCP over HTTP, revision %s', (revision) => {
  it('offers a plan that allows writes every tool, with schemas and hints, and each does what it says', async () => {
    const { origin, get, newKey } = await readyService();
    const key = await newKey('writes');
    const client = await overHttp(origin, key, revision);
    const { tools } = await client.listTools(undefined, PATIENT);
    expect(tools.map(({ name }) => name)).toEqual([...READ_TOOLS, ...WRITE_TOOLS]);
    for (const { name, annotations, outputSchema, description } of tools) {
      expect(annotations?.readOnlyHint, name).toBe(READ_TOOLS.includes(name));
      expect(annotations?.destructiveHint, name).toBe(/^(delete|cancel)_/.test(name));
      expect([outputSchema?.type, typeof description], name).toEqual(['object', 'string']);
    }
    expect(JSON.stringify(tools)).not.toMatch(/\$ref|privateKey/);

    const now = await callTool(client, 'gas_now');
    expect(now).toMatchObject({ source: 'simulated', chainId: SIMULATED_CHAIN_ID });
    const { data } = Rows.parse(await (await get('/metrics/txs?size=1')).json());
    const hash = data[0]?.hash;
    for (const [name, args, property, value] of [
      ['gas_advice', { targetGwei: 0.001, deadlineSec: 600 }, 'ofTarget.probability'],
      ['gas_history', { timeFrame: '1h' }, 'baseFee.mean'],
      ['chain_rules', {}, 'rules'],
      ['block', {}, 'blockNumber'],
      ['block', { number: Number(now.blockNumber) }, 'blockNumber', now.blockNumber],
      ['transaction', { hash }, 'hash', hash],
      ['action_cost', {}, 'actions.0.average.coins'],
      ['call_cost', { gas: 50_000 }, 'gas', 50_000],
      ['call_cost', { gas: 50_000 }, 'lanes.average.coins'],
    ] as const) {
      const called = await callTool(client, name, args);
      if (value === undefined) expect(called).toHaveProperty(property);
      else expect(called).toHaveProperty(property, value);
    }

    const wanted = { thresholdGwei: 0.5, gasSpeed: 'FAST', condition: 'LESS_THAN' };
    const hook = { channels: ['WEBHOOK'], to: 'https://hooks.example.org/T0/secret' };
    const { id } = Made.parse(await callTool(client, 'create_alert', { ...wanted, ...hook }));
    expect(await callTool(client, 'disable_alert', { id })).toEqual({ id, status: 'DISABLED' });
    const { alerts } = await callTool(client, 'list_alerts', { status: 'DISABLED' });
    expect(alerts).toMatchObject([{ id, status: 'DISABLED', ...wanted, channels: ['WEBHOOK'] }]);
    expect(JSON.stringify(alerts)).not.toContain('hooks.example.org');
    expect(await callTool(client, 'enable_alert', { id })).toEqual({ id, status: 'PENDING' });
    expect(await callTool(client, 'delete_alert', { id })).toEqual({ id, deleted: true });
    expect(await callTool(client, 'list_alerts')).toEqual({ total: 0, alerts: [] });

    const [rule, terminal] = [{ gasSpeed: 'AVERAGE', condition: 'LESS_THAN' }, { channels: ['TERMINAL'] }];
    for (const [written, shown] of [
      ['$0.40/swap', '$0.40/swap'],
      ['-25 % / 7D', '-25%/7d'],
      ['2% of $35/swap', '2% of $35/swap'],
    ] as const) {
      const stands = await callTool(client, 'threshold', { threshold: written });
      expect(stands).toMatchObject({ threshold: shown, laneGwei: expect.any(Number) });
      expect((stands.priceGwei === null) === (typeof stands.reason === 'string')).toBe(true);
      const alert = await callTool(client, 'create_alert', { ...rule, ...terminal, threshold: written });
      expect(alert).toMatchObject({ rule: shown });
      const changed = { id: alert.id, threshold: '0.5', condition: 'GREATER_THAN' };
      const gwei = { rule: null, thresholdGwei: 0.5, condition: 'GREATER_THAN', thresholdReason: null };
      expect(await callTool(client, 'update_alert', changed)).toMatchObject(gwei);
      const back = { id: alert.id, threshold: written, note: 'again' };
      expect(await callTool(client, 'update_alert', back)).toMatchObject({ rule: shown, note: 'again' });
      await callTool(client, 'delete_alert', { id: alert.id });
    }
    expect(await toolError(client, 'create_alert', { ...rule, ...terminal, threshold: '2%' })).toBe(
      'threshold: 2% of what? write 2% of $35/swap, or -2%/7d (below the median)',
    );
    expect(await toolError(client, 'create_alert', { ...rule, ...terminal })).toContain('give either');
    expect(await toolError(client, 'threshold', { threshold: '$0.40' })).toContain('write $0.40/swap');

    const signedTransaction = await signedTransfer(0);
    const checked = await callTool(client, 'check_signed_transaction', { signedTransaction });
    const read = { canBeIncluded: true, nonce: 0, valueCoins: '0.001', does: expect.any(String) };
    expect(checked).toMatchObject(read);
    const limited = await callTool(client, 'check_signed_transaction', { signedTransaction, maxCost: '2%' });
    expect(JSON.stringify(limited)).toContain('at most 2% of its value: 21,000 gas');
    expect(
      await toolError(client, 'check_signed_transaction', { signedTransaction, maxCost: '2% of $35/swap' }),
    ).toContain('write $35, 2%');
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const threshold = { maxShareOfValueRatio: 0.000001 };
    const body = JSON.stringify({ signedTransaction, threshold });
    const made = await fetch(`${origin}/be/api/v1/auto-txs`, { method: 'POST', headers, body });
    const autoTx = Made.parse(await made.json());
    const listed = await callTool(client, 'list_auto_txs');
    expect(listed).toMatchObject({
      total: 1,
      autoTxs: [{ id: autoTx.id, status: 'PENDING', nonce: 0, maxCost: '0.0001%' }],
    });
    const cancelled = await callTool(client, 'cancel_auto_tx', { id: autoTx.id });
    expect(cancelled).toMatchObject({ status: 'CANCELLED' });
    expect(JSON.stringify([checked, listed])).not.toContain(signedTransaction.slice(-64));
  });

  it('costs what the routes of a tool cost, and says in a sentence when the quota is used up', async () => {
    const { origin, newKey } = await readyService();
    const key = await newKey('three');
    const client = await overHttp(origin, key, revision);
    await client.listTools(undefined, PATIENT);
    const used = async () => {
      const limits = await fetch(`${origin}/be/api/v1/dashboard/rate-limits`, {
        headers: { 'x-api-key': key },
      });
      return Made.parse(await limits.json()).usedToday;
    };
    expect(await used()).toBe(0);
    await callTool(client, 'gas_now');
    expect(await used()).toBe(1);
    await callTool(client, 'gas_history');
    expect(await used()).toBe(3);
    expect(await toolError(client, 'gas_now')).toMatch(
      /^the 3 requests per day of the plan "three" are used up; ask again from \S+Z on$/,
    );
  });

  it('lets who has no key list the tools, and has each say how to send one', async () => {
    const { origin } = await readyService();
    const client = await overHttp(origin, null, revision);
    expect((await client.listTools(undefined, PATIENT)).tools.map(({ name }) => name)).toEqual(READ_TOOLS);
    expect(await toolError(client, 'gas_now')).toBe(
      'send your key in the x-api-key header; the operator of this service makes one with gastop keys create',
    );
    expect(await toolError(await overHttp(origin, 'gastop_half', revision), 'gas_now')).toBe(
      'this is not a whole gastop key: characters are missing, wrong or too many; copy it again',
    );
  });
});

describe('a tool error over HTTP', () => {
  it('names each argument that is wrong, and repeats none', async () => {
    const { origin, newKey, log } = await readyService();
    const client = await overHttp(origin, await newKey('reads'));
    expect(await toolError(client, 'gas_history', { timeFrame: '2h', more: 1 })).toBe(
      'timeFrame must be one of 1h, 24h, 7d, 30d; more is not a field of this request',
    );
    expect(await toolError(client, 'block', { number: 'newest' })).toBe(
      'number must be latest or the number of a block',
    );
    expect(await toolError(client, 'transaction', { hash: '0x12' })).toContain('must be a transaction hash');
    const raw = await signedTransfer(1);
    const hidden = [raw.slice(40, 80), PRIVATE_KEY.slice(10, 40)];
    const said = [
      await toolError(client, 'check_signed_transaction', { signedTransaction: PRIVATE_KEY }),
      await toolError(client, 'check_signed_transaction', { signedTransaction: raw.slice(0, -2) }),
      await toolError(client, 'gas_now', { [raw]: raw }),
      await toolError(client, 'block', { number: raw }),
    ];
    expect(said[0]).toContain('a private key, which belongs into a wallet alone');
    for (const secret of hidden) expect(JSON.stringify([said, log])).not.toContain(secret);
  });

  it('says what a plan lacks', async () => {
    const { origin, newKey } = await readyService();
    const client = await overHttp(origin, await newKey('prices'));
    expect(await toolError(client, 'list_alerts')).toBe(
      'the plan "prices" may use gas, not alerts; ask the operator of the service for another plan',
    );
    expect(await toolError(client, 'delete_alert', { id: 'a' })).toBe(
      'delete_alert changes something, which needs a key whose plan has "mcpWrites": true; ask the operator of the service for one',
    );
    expect(await toolError(client, 'gas_later')).toBe('there is no such tool; tools/list names them');
  });

  it('says that the source is dead', async () => {
    const source = new ScriptedSource([]);
    const { origin, key } = await serveService({ source, plans: PLANS, mount: withMcp });
    const client = await overHttp(origin, key);
    expect(await toolError(client, 'gas_now')).toMatch(/^[a-z][^\n]+$/);
  });
});

describe('POST /mcp', () => {
  it('refuses pages of other origins, other names of this machine and other methods', async () => {
    const { origin, port, key, log } = await readyService();
    const initialize = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
    };
    const post = (headers: Record<string, string>, method = 'POST') =>
      new Promise<number | undefined>((resolve, reject) => {
        const accept = 'application/json, text/event-stream';
        const sent = { 'content-type': 'application/json', accept, 'x-api-key': key, ...headers };
        const asked = request(`${origin}/mcp`, { method, headers: sent }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.on('error', reject).end(method === 'POST' ? JSON.stringify(initialize) : undefined);
      });
    const rebound = `page.example.org:${port}`;
    for (const [headers, status] of [
      [{}, 200],
      [{ origin }, 200],
      [{ origin: 'http://127.0.0.1:1' }, 403],
      [{ origin: 'https://page.example.org' }, 403],
      [{ origin: 'null' }, 403],
      [{ host: rebound, origin: `http://${rebound}` }, 421],
      [{ 'content-type': 'text/plain' }, 415],
    ] as const) {
      expect(await post(headers), JSON.stringify(headers)).toBe(status);
    }
    expect([await post({}, 'GET'), await post({}, 'OPTIONS')]).toEqual([405, 204]);
    const logged = await waitFor(() => log.find(({ route }) => route === '/mcp'), { what: 'a line of /mcp' });
    expect(logged).toMatchObject({ method: 'POST', status: 200, keyId: expect.any(String) });
  });

  it('takes a transaction with blobs, as the routes do', async () => {
    const { origin, newKey } = await readyService();
    const client = await overHttp(origin, await newKey('reads'));
    const signedTransaction = `0x03${'f8'.repeat(700_000)}`;
    expect(await toolError(client, 'check_signed_transaction', { signedTransaction })).toMatch(
      /^no node would take this as a transaction: /,
    );
  });

  it.each(['tools/list', 'initialize', 'ping'])(
    'closes the connection of a client that asks for it, after %s',
    async (method) => {
      const { port } = await readyService();
      const connection = await RawConnection.open(port);
      onTestFinished(() => connection.close());
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      };
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: method === 'initialize' ? params : {},
      });
      const headers = ['Host: localhost', 'Connection: close', 'Accept: application/json, text/event-stream'];
      const type = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      connection.send(['POST /mcp HTTP/1.1', ...headers, ...type, '', body].join('\r\n'));
      const answer = await connection.answer(false, 60_000);
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([200, 'close']);
      await waitFor(() => connection.isOver);
    },
  );

  it('reads no larger body than a call has', async () => {
    const { origin, key } = await readyService();
    const status = async (bytes: number, own: Record<string, string>) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...own,
      };
      return (await fetch(`${origin}/mcp`, { method: 'POST', headers, body: 'x'.repeat(bytes) })).status;
    };
    const withKey = { 'x-api-key': key };
    expect([await status(SIGNED_BODY_BYTES, withKey), await status(BODY_BYTES, {})]).toEqual([400, 400]);
    expect([await status(SIGNED_BODY_BYTES + 1, withKey), await status(BODY_BYTES + 1, {})]).toEqual([
      413, 413,
    ]);
  });
});

describe('a client over HTTP', () => {
  const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'gas_now', arguments: {} } };
  const send = (path: string, headers: Record<string, string>, body: unknown = CALL) =>
    new Promise<{ status?: number | undefined; type: string; text: string }>((resolve, reject) => {
      const sent = { 'content-type': 'application/json', ...headers };
      // Not by fetch, which adds an Accept of its own.
      request(path, { method: 'POST', headers: sent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece;
        });
        const { statusCode: status, headers: got } = response;
        response.on('end', () => resolve({ status, type: got['content-type'] ?? '', text }));
      })
        .on('error', reject)
        .end(JSON.stringify(body));
    });

  it.each([
    [{}],
    [{ accept: '*/*' }],
    [{ accept: 'application/json' }],
    [{ accept: 'Application/JSON', 'content-type': 'Application/JSON; charset=UTF-8' }],
    [{ accept: 'text/html' }],
  ])('gets JSON with %j', async (headers) => {
    const { origin, newKey } = await readyService();
    const key = { 'x-api-key': await newKey('reads') };
    const got = await send(`${origin}/mcp`, { ...key, ...headers });
    expect([got.status, got.type]).toEqual([200, 'application/json']);
    expect(JSON.parse(got.text)).toMatchObject({
      id: 7,
      result: { structuredContent: { source: 'simulated' } },
    });
    const batch = await send(`${origin}/mcp`, { ...key, ...headers }, [CALL, { ...CALL, id: 8 }]);
    expect(
      JSON.parse(batch.text)
        .map(({ id }: { id: number }) => id)
        .sort(),
    ).toEqual([7, 8]);
  });

  it.each(['application/json, text/event-stream', 'TEXT/EVENT-STREAM'])(
    'gets events with Accept: %s',
    async (accept) => {
      const { origin } = await readyService();
      const got = await send(`${origin}/mcp`, { accept });
      expect([got.status, got.type, got.text.slice(0, 6)]).toEqual([200, 'text/event-stream', 'event:']);
    },
  );

  it.each([
    ['/mcp', 'Bearer '],
    ['/mcp/', 'bearer '],
    ['/mcp/', 'BEARER  '],
  ])('sends its key to %s as "Authorization: %s…"', async (path, scheme) => {
    const { origin, newKey } = await readyService();
    const key = await newKey('reads');
    const { text } = await send(`${origin}${path}`, { authorization: `${scheme}${key}` });
    expect(JSON.parse(text).result.isError).toBeUndefined();
    const refused = await send(`${origin}${path}`, { authorization: `${scheme}gastop_half` });
    expect(JSON.parse(refused.text).result.content[0].text).toContain('this is not a whole gastop key');
  });

  it('is told schemas without the keywords that clients refuse, and may send a block as number or text', async () => {
    const { origin, newKey } = await readyService();
    const client = await overHttp(origin, await newKey('writes'));
    const { tools } = await client.listTools(undefined, PATIENT);
    expect(JSON.stringify(tools)).not.toMatch(
      /"(?:exclusiveM\w+|const|anyOf|oneOf|allOf|propertyNames|not|\$ref|\$defs)":/,
    );
    const args = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
    expect(args).not.toMatch(/"type":\[|"additionalProperties":\{|"enum":\[(?!")/);
    expect(args).toContain('"targets":{"type":"object","additionalProperties":false,"description"');
    const { blockNumber } = await callTool(client, 'block', {});
    for (const number of [Number(blockNumber), String(blockNumber), 'latest']) {
      expect((await callTool(client, 'block', { number })).blockNumber).toBeGreaterThanOrEqual(
        Number(blockNumber),
      );
    }
    for (const number of [-1, 1.5, '0x12']) {
      expect(await toolError(client, 'block', { number })).toBe(
        'number must be latest or the number of a block',
      );
    }
    expect(await toolError(client, 'gas_advice', { targetGwei: 0 })).toContain('targetGwei');
  });
});

describe('what no quota counts', () => {
  const accept = 'application/json, text/event-stream';
  const LIST = { jsonrpc: '2.0', method: 'tools/list', params: {} };
  const send = (origin: string, body: unknown, key: string | null = null) =>
    fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...(key !== null && { 'x-api-key': key }) },
      body: JSON.stringify(body),
    });
  const lists = (count: number) => Array.from({ length: count }, (_, id) => ({ ...LIST, id }));
  const ownService = () =>
    serveService({ source: createSimulatedSource({ seed: 1 }), plans: PLANS, mount: withMcp });

  it('is limited by address without a key, a batch by its messages, and leaves those with a key alone', async () => {
    const { origin, newKey } = await ownService();
    const untilRefused = async (key: string | null) => {
      for (let batches = 0; batches < 100; batches += 1) {
        const response = await send(origin, lists(16), key);
        if (response.status === 429) return [batches > 0, response.headers.get('retry-after')];
      }
      return 'never';
    };
    expect(await untilRefused(null)).toEqual([true, '1']);
    // A key that is none shares what its address has left.
    expect(await untilRefused('gastop_half')).toEqual([expect.any(Boolean), '1']);
    expect((await send(origin, lists(16), await newKey('reads'))).status).toBe(200);
  });

  it('is limited for a key as well: calls above its quota, or with wrong arguments, but none that is counted', async () => {
    const { origin, newKey } = await ownService();
    const call = (name: string, args: object) => {
      const params = { name, arguments: args };
      return Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', method: 'tools/call', id, params }));
    };
    for (const [plan, messages, statuses] of [
      ['three', call('gas_now', {}), [200, 429]],
      ['reads', call('gas_history', { timeFrame: 'never' }), [200, 429]],
      ['reads', call('gas_now', {}), [200]],
    ] as const) {
      const key = await newKey(plan);
      const answered = new Set<number>();
      for (let sent = 0; sent < 200; sent += 10) {
        const response = await send(origin, messages, key);
        answered.add(response.status);
        await response.text();
      }
      expect([plan, ...answered]).toEqual([plan, ...statuses]);
    }
  });

  it.each([2, 16])('answers each message of a batch of %i', async (count) => {
    const { origin } = await readyService();
    const text = await (await send(origin, lists(count))).text();
    for (let id = 0; id < count; id += 1) expect(text).toContain(`"id":${id}`);
  });

  it.each([17, 100, 300])('refuses a batch of %i messages', async (count) => {
    const { origin } = await readyService();
    expect((await send(origin, lists(count))).status).toBe(413);
  });

  it('is one list, whoever asks, with the id of each request', async () => {
    const { origin, newKey } = await readyService();
    const listed = async (id: string | number, key: string | null = null) =>
      (await send(origin, { ...LIST, id }, key)).text();
    const first = await listed(1);
    for (const id of [2, 'a "quoted" id', '$&', 'x'.repeat(300)]) {
      expect(await listed(id)).toBe(first.replace('"id":1', () => `"id":${JSON.stringify(id)}`));
    }
    expect(await listed(1, await newKey('reads'))).toBe(first);
    expect(await listed(1, await newKey('writes'))).toContain('create_alert');
    expect(await listed(1)).toBe(first);
  });
});
