/** Clients of other services as npm has them, on the routes in the shape of those services. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { gweiString } from '../../src/core/units.ts';
import { examples } from '../documents/project-files.ts';
import { makeRuledBlocks } from '../helpers/chain-blocks.ts';
import { registrySettings, whyNoRegistry } from '../helpers/node-runtimes.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { shareServedService } from '../helpers/served-service.ts';

const run = promisify(execFile);
/** Its later versions require packages that npm does not have. */
const METAMASK = ['@metamask/gas-fee-controller@23.0.0', '@metamask/base-controller@8.4.2'];
/** It sends its requests by the browser's `XMLHttpRequest`. */
const BLOCKNATIVE = ['@web3-onboard/gas@2.2.1', 'xhr2@0.2.1'];

const noRegistry = await whyNoRegistry();
const served = shareServedService(() => ({
  source: new ScriptedSource(makeRuledBlocks(4_000)),
  historySec: 86_400,
}));

let folder = '';
const environment = (more = {}) => ({
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: folder,
  GASTOP_API_KEY: served().key,
  ...more,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gastop-clients-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  if (noRegistry !== null) return;
  // MetaMask's peers are those of a wallet, of which it takes types alone.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  const env = { PATH: environment().PATH, HOME: folder, ...registrySettings() };
  await run('npm', ['install', ...flags, ...METAMASK, ...BLOCKNATIVE], { cwd: folder, env });
  await served().filled();
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

async function runIt(name: string, code: string): Promise<string> {
  const text = code.replaceAll('http://127.0.0.1:8787', served().origin);
  writeFileSync(join(folder, name), text);
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env: environment() });
  return stdout;
}

const current = async () => GasCurrent.parse(await (await served().get(PATHS.gasCurrent)).json());
const gwei = (wei: number | null) => gweiString(BigInt(wei ?? -1));

describe.runIf(noRegistry === null)(`unmodified (${noRegistry ?? 'from npm'})`, () => {
  it('@metamask/gas-fee-controller 23.0.0 has the lanes, by the example of the documents', async () => {
    const [code = ''] = examples("Clients of MetaMask's gas API");
    const { nextBasePrice, lanes } = await current();
    expect(await runIt('metamask.ts', code)).toBe(
      `fee-market: base fee ${gwei(nextBasePrice)} gwei, medium ${gwei(lanes.average.maxFeePerGas)} gwei\n`,
    );
  });

  it('@metamask/gas-fee-controller 23.0.0 says how long the fees of each lane wait', async () => {
    const [code = ''] = examples("Clients of MetaMask's gas API");
    const { lanes, nextBasePrice } = await current();
    const fees = Object.values(lanes).map(
      (lane) => `'${gwei(lane.maxPriorityFeePerGas)}', '${gwei(lane.maxFeePerGas)}'`,
    );
    const asked = fees.map((each) => `controller.getTimeEstimate(${each})`);
    const waits = await runIt('waits.ts', `${code}\nconsole.log(JSON.stringify([${asked}]));`);
    // The slow lane's cap waits for a lower base fee: the client does not know when that comes.
    expect(lanes.slow.maxFeePerGas).toBeLessThan(nextBasePrice ?? 0);
    const bounds = ['unknown', lanes.average.waitSec.p95 * 1_000, lanes.fast.waitSec.p95 * 1_000];
    expect(JSON.parse(waits.split('\n')[1] ?? '')).toEqual(
      bounds.map((upperTimeBound) => ({ lowerTimeBound: null, upperTimeBound })),
    );
  });

  it('@web3-onboard/gas 2.2.1 has the levels of Blocknative that the lanes have kept', async () => {
    const base = `${served().origin}${BASE_PATH}/compat/blocknative`;
    const prices = await runIt(
      'blocknative.ts',
      `import XMLHttpRequest from 'xhr2';
      import gas from '@web3-onboard/gas';
      globalThis.XMLHttpRequest = class extends XMLHttpRequest {
        open(method, url, ...rest) {
          super.open(method, url.replace('https://api.blocknative.com', '${base}'), ...rest);
        }
      };
      const apiKey = process.env.GASTOP_API_KEY;
      const [answer] = await gas.get({ chains: ['0x1'], endpoint: 'blockPrices', apiKey });
      console.log(JSON.stringify(answer.blockPrices[0].estimatedPrices));`,
    );
    const { average, fast } = (await current()).lanes;
    const stated = [fast, average, average, average, average].map((lane, at) => ({
      confidence: [99, 95, 90, 80, 70][at],
      price: Number(gwei(lane.price)),
      maxPriorityFeePerGas: Number(gwei(lane.maxPriorityFeePerGas)),
      maxFeePerGas: Number(gwei(lane.maxFeePerGas)),
    }));
    expect(JSON.parse(prices)).toEqual(stated);
  });
});
