import { ClientError } from '../../client/errors.ts';
import { type CallCost, costOfCall, workOfGas } from '../../client/views/cost.ts';
import { dollarsBehind } from '../../client/views/fact.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { describeLikely } from '../../client/views/gas-texts.ts';
import type { CallToEstimate } from '../../contract/estimate.ts';
import { LANES } from '../../core/advice.ts';
import { coinSymbol } from '../../core/chains.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatNative,
  formatSaving,
  formatUsd,
  UNKNOWN,
} from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { failure, usageError } from '../errors.ts';
import { adviceIfAny, learnedSnapshot, pastForAdvice } from '../needed-history.ts';
import { openReady } from '../open-source.ts';
import { badgeOf, cleanLine, mapped, print, type TextColumn, tableLines, withSpinner } from '../output.ts';
import { parseNative, parseWhole } from '../parse.ts';

const LEAST_GAS = 21_000;
const MOST_GAS = 1_000_000_000;

export function addCost(program: CliCommand): void {
  program
    .command('cost')
    .summary('what so much gas, or a call of yours, costs now and if you wait')
    .description(
      'What so much gas costs now in each lane, and if you wait, within --patience. With --to or --data the node estimates the gas of that call (eth_estimateGas), and what a rollup takes for L1 is in it.',
    )
    .argument('[gas]', 'units of gas, such as 184000')
    .option('--to <ADDRESS>', 'whom the call goes to; without it --data creates a contract')
    .option('--data <HEX>', 'its call data')
    .option('--from <ADDRESS>', 'who sends it; some calls fail without')
    .parsed('--value <AMOUNT>', 'native coins that go with it, such as 0.1, or 100wei', parseNative)
    .option('--json', 'one object: gas, costs in wei and dollars, per lane and wait')
    .examples('gastop cost 184000', 'gastop cost --to 0x7099… --data 0xa9059cbb… --from 0xf39f…')
    .does(cost);
}

type CostFlags = Flags<'to' | 'data' | 'from', 'json', { value: bigint }>;

async function cost(
  { io, loadSettings }: CommandContext,
  gasText: string | undefined,
  flags: CostFlags,
): Promise<void> {
  const call = callOf(flags);
  if ((gasText === undefined) === (call === null)) {
    throw usageError('give either the gas (gastop cost 184000) or a call (--to ADDRESS --data 0x…)');
  }
  const given = gasText === undefined ? null : gasOf(gasText);
  const { settings } = await loadSettings();
  const historySec = pastForAdvice(settings);
  await using ready = await openReady(io, settings, 'refuse', { historySec, glance: 'advice' });
  const { snapshot } = await learnedSnapshot(io, settings, ready);
  const estimated = async () => {
    const asked = ready.client.gasEstimate(call ?? {}, { signal: io.interruption() }).catch(refused);
    const { gas, dataFeeWei, dataFeeReason } = await withSpinner(io, 'estimating the gas', asked);
    return { gas, dataFee: dataFeeWei, dataFeeReason };
  };
  const work = given === null ? await estimated() : workOfGas(given, snapshot.chainId);
  const patienceSec = settings.patienceSec.value;
  const { advice, missing } = await adviceIfAny(io, ready, patienceSec);
  const costs = costOfCall(work, snapshot, advice, patienceSec);
  if (flags.json) io.stdout.write(`${JSON.stringify(jsonOf(costs, snapshot, given === null))}\n`);
  else print(io, settings, costText(costs, snapshot, given === null, missing));
}

function callOf({ to, data, from, value }: CostFlags): CallToEstimate | null {
  const call = { to, data, from, value: value?.toString() };
  return Object.values(call).every((part) => part === undefined) ? null : call;
}

function gasOf(text: string): number {
  try {
    return parseWhole(text.replaceAll(/[,_]/g, ''), 'an amount of gas', LEAST_GAS, MOST_GAS);
  } catch (error) {
    throw error instanceof RangeError ? usageError(error.message) : error;
  }
}

function refused(error: unknown): never {
  const isAnswer = error instanceof ClientError && ['invalid', 'conflict', 'not-found'].includes(error.code);
  throw isAnswer ? failure(cleanLine(error.message)) : error;
}

function jsonOf(
  { gas, dataFee, dataFeeReason, lanes, waits }: CallCost,
  snapshot: SnapshotView,
  isEstimated: boolean,
) {
  const figures = ({ price, wei, usd }: { price: bigint; wei: bigint; usd: number | null }) => ({
    price: Number(price),
    costWei: wei.toString(),
    costUsd: usd,
  });
  return {
    chainId: snapshot.chainId,
    blockNumber: snapshot.blockNumber,
    gas,
    isEstimated,
    nativeUsd: snapshot.nativeUsd,
    dataFeeWei: dataFee?.toString() ?? null,
    dataFeeReason,
    lanes: Object.fromEntries(LANES.map((lane) => [lane, figures(lanes[lane])])),
    waits: waits.map(({ wait, ...each }) => ({
      horizonSec: wait.horizonSec,
      ...figures(each),
      probability: wait.probability,
      isCeiling: wait.isCeiling,
      savingRatio: wait.savingRatio,
    })),
  };
}

function costText(
  costs: CallCost,
  snapshot: SnapshotView,
  isEstimated: boolean,
  missing: string | null,
): string {
  const { gas, dataFee, dataFeeReason, lanes, waits } = costs;
  const symbol = coinSymbol(snapshot.chainId ?? 1);
  const paid: TextColumn<CallCost['lanes']['slow']>[] = [
    ['gwei', 'right', ({ price }) => formatGwei(price)],
    ['costs', 'right', ({ wei }) => formatNative(wei, symbol)],
    ['', 'right', ({ usd }) => (usd === null ? '' : formatUsd(usd))],
  ];
  const l1 =
    dataFee === null
      ? [`without what L1 takes: ${cleanLine(dataFeeReason ?? 'it is not known')}`]
      : dataFee === 0n
        ? []
        : [`of it ${formatNative(dataFee, symbol)}${dollarsBehind(dataFee, snapshot.nativeUsd)} for L1`];
  const none = `no wait within --patience is measured${mapped(missing, (why) => `: ${why}`) ?? ''}`;
  const waiting = tableLines<CallCost['waits'][number]>(
    [
      ['if you wait', 'left', ({ wait }) => formatDuration(wait.horizonSec)],
      ...paid,
      ['likely', 'right', ({ wait }) => describeLikely(wait) ?? UNKNOWN],
      ['saves', 'right', ({ wait }) => savesText(wait.savingRatio)],
    ],
    waits,
  );
  return [
    `${badgeOf(snapshot)}${formatCount(gas)} gas${isEstimated ? ', as the node estimates it' : ''}`,
    '',
    ...tableLines(
      [['now', 'left', ({ lane }) => lane], ...paid],
      LANES.map((lane) => ({ lane, ...lanes[lane] })),
    ),
    ...l1,
    '',
    ...(waits.length === 0 ? [none] : waiting),
  ].join('\n');
}

const savesText = (ratio: number | null) =>
  ratio === null ? UNKNOWN : formatSaving(ratio).replace('saves ', '');
