import { ClientError } from '../../client/errors.ts';
import type { AutoTxView } from '../../client/views/auto-txs.ts';
import { type ChainRulesView, describeRules } from '../../client/views/chain.ts';
import { chainNameOf } from '../../client/views/gas-texts.ts';
import { PATHS } from '../../contract/routes.ts';
import { isWaiting } from '../../core/auto-txs/state-machine.ts';
import { formatCount } from '../../core/units.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { failure } from '../errors.ts';
import { openReady } from '../open-source.ts';
import {
  badgeOf,
  cleanLine,
  jsonResponse,
  labelledLines,
  print,
  RawText,
  type TextColumn,
  tableLines,
} from '../output.ts';
import { JSON_ANSWER, type JsonFlags } from './resource.ts';

export function addFork(program: CliCommand): void {
  program
    .command('fork')
    .summary('whose gas rules hold, and what the next fork changes')
    .description(
      'Whose gas rules hold, which fork comes next and when, what usual work takes before and after, and which waiting auto-txs it does not leave as they are (without --json, which prints GET /chain/rules).',
    )
    .option('--json', JSON_ANSWER)
    .examples('gastop fork', 'gastop fork --rpc http://127.0.0.1:8545 --json | jq .next')
    .does(fork);
}

async function fork({ io, loadSettings }: CommandContext, flags: JsonFlags): Promise<void> {
  const { settings } = await loadSettings();
  await using ready = await openReady(io, settings, 'accept');
  const { client, snapshot } = ready;
  const signal = io.interruption();
  const raw = new RawText();
  const rules = await client.chainRules({ signal, onResponse: raw.onResponse }).catch((error: unknown) => {
    // A service without the route is healthy all the same.
    throw error instanceof ClientError && error.code === 'not-found' ? failure(error.message, error) : error;
  });
  if (flags.json) {
    io.stdout.write(jsonResponse(raw.text, PATHS.chainRules));
    return;
  }
  const { blockNumber } = snapshot;
  const head = blockNumber === null ? '' : `  #${formatCount(blockNumber)}`;
  const facts = describeRules(rules, io.now());
  const affected = await affectedLines(client.autoTxs({ signal }).then(({ items }) => items));
  const title = `${badgeOf(snapshot)}${cleanLine(chainNameOf(snapshot) ?? '')}${head}`.trim();
  const lines = [title, '', ...labelledLines(facts), ...workLines(rules), '', ...affected];
  print(io, settings, lines.join('\n'));
}

/** What usual work takes: before and after a fork to Amsterdam where there is one, else by the rules that hold. */
function workLines({ rules, next, usualWork }: ChainRulesView): readonly string[] {
  if (usualWork.length === 0 || rules === 'own') return [];
  const isNext = next?.kind === 'amsterdam';
  const mark = (row: ChainRulesView['rules']) => (rules === row ? ', now' : '');
  const osaka = gasColumn(`Osaka${mark('osaka')}`, 'osaka');
  const amsterdam = gasColumn(`Amsterdam${isNext ? ', then' : mark('amsterdam')}`, 'amsterdam');
  const columns = isNext || rules === 'amsterdam' ? [osaka, amsterdam] : [osaka];
  return [
    '',
    ...tableLines([['gas of usual work', 'left', ({ name }) => cleanLine(name)], ...columns], usualWork),
  ];
}

type WorkRow = ChainRulesView['usualWork'][number];

const gasColumn = (title: string, fork: 'osaka' | 'amsterdam'): TextColumn<WorkRow> => {
  return [title, 'right', (row) => formatCount(row[fork])];
};

/** The waiting auto-txs whose gas is not enough for the rules that hold or come, with the reason, or why there are none. */
async function affectedLines(listed: Promise<readonly AutoTxView[]>): Promise<readonly string[]> {
  const items = await listed.catch(() => null);
  if (items === null) return ['auto-txs: not known, this source does not list them'];
  const waiting = items.filter(isWaiting);
  if (waiting.length === 0) return ['auto-txs: none waits here'];
  const affected = waiting.flatMap(({ id, checks }) => {
    const check = checks.find(({ name }) => name === 'intrinsic-gas');
    return check === undefined || check.code === null ? [] : [`  ${id}  ${cleanLine(check.message)}`];
  });
  if (affected.length > 0) return ['auto-txs', ...affected];
  const waits = waiting.length === 1 ? 'waits' : 'wait';
  return [`auto-txs: ${formatCount(waiting.length)} ${waits} here, and no check of gas finds a problem`];
}
