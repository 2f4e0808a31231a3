import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AutoTxEvent,
  type AutoTxState,
  NEW_PENDING,
  RESEND_PAUSES_MS,
  stepAutoTx,
  UNSURE_MS,
} from '../../../src/core/auto-txs/state-machine.ts';
import { rounds } from '../../helpers/rounds.ts';
import { type Filling, type Happening, ModelEngine } from './model-engine.ts';

const RUNS = rounds(400);

const of = <const Each>(...each: Each[]) => fc.constantFrom(...each);

const someHappening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: of('mine'), filling: of('ours', 'ours-reverted', 'another', null, null) }),
  },
  { weight: 4, arbitrary: fc.record({ type: of('observe'), behind: of(0, 0, 0, 1, 2) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: of('send'),
      outcome: of('taken', 'taken', 'taken-unheard', 'lost', 'refused', 'refused-for-good'),
    }),
  },
  fc.record({ type: of('reorg'), depth: fc.integer({ min: 1, max: 4 }), comesBack: fc.boolean() }),
  fc.record({ type: of('drop', 'hide', 'show', 'wallet-sends', 'nonce-check') }),
  fc.record({ type: of('time'), ms: of(1, 12_000, 25_000, 60_000, 3_600_000, -3_600_000) }),
  {
    weight: 2,
    arbitrary: fc.record({ type: of('resend'), outcome: of('taken', 'taken-unheard', 'lost', 'refused') }),
  },
  fc.record({ type: of('hold'), code: of('nonce_gap', 'insufficient_balance') }),
  fc.record({ type: of('user'), wish: of('sign', 'enable', 'enable', 'disable', 'cancel', 'expire') }),
);

const someStory = fc.record({
  confirmations: fc.integer({ min: 1, max: 4 }),
  isSigned: fc.integer({ min: 0, max: 9 }).map((chance) => chance > 0),
  happenings: fc.array(someHappening, { maxLength: 60, size: 'max' }),
});

type Story = typeof someStory extends fc.Arbitrary<infer T> ? T : never;

function begin({ confirmations, isSigned }: Story): ModelEngine {
  const engine = new ModelEngine(confirmations);
  if (isSigned) engine.step({ type: 'sign' });
  return engine;
}

function tell(story: Story): ModelEngine {
  const engine = begin(story);
  engine.live(...story.happenings);
  return engine;
}

const everyStory = (check: (story: Story) => void): void =>
  fc.assert(fc.property(someStory, check), { numRuns: RUNS });

const WISHES: ReadonlySet<AutoTxEvent['type']> = new Set([
  'cancel',
  'expire',
  'disable',
  'enable',
  'sign',
  'submit',
]);

describe('in any order of blocks, responses, hidden and lost pools, reorgs, replacements, crashes and requests', () => {
  it('each step keeps to what a state means', () => {
    everyStory((story) => {
      for (const { before, event, after, notes } of tell(story).steps) {
        // Who was cancelled or expired before it was sent stays so, and nothing leaves EXECUTED, however deep a reorg.
        const isOver = before.status === 'CANCELLED' || before.status === 'EXPIRED';
        const isUnwatched = !before.mayBeOut && before.takenSince === null;
        const isExecuted = before.status === 'EXECUTED';
        if (isExecuted || (isOver && isUnwatched)) expect(after ?? before).toEqual(before);
        const deep = stepAutoTx(before, { type: 'rewind', to: -1 }, { nonce: 7, confirmations: 1, now: 0 });
        if (isExecuted) expect(deep).toBeNull();
        if (before.status === 'SUBMITTED' && WISHES.has(event.type)) expect(after).toBeNull();
        if (after === null) continue;
        // Only decisions count as attempts, and only waiting auto-txs get decisions.
        expect(after.attempts).toBe(before.attempts + (event.type === 'submit' ? 1 : 0));
        if (event.type === 'submit') expect(before.status).toBe('PENDING');
        // Each change of status has a note, and only a failed one has a reason for its failure.
        if (after.status !== before.status) expect(notes.length).toBeGreaterThan(0);
        for (const { message } of notes) expect(message).not.toBe('');
        expect(after.failure !== null).toBe(after.status === 'FAILED');
        if (after.inclusion) expect(['SUBMITTED', 'EXECUTED', 'FAILED']).toContain(after.status);
        if (after.status === 'SUBMITTED') expect(after).toMatchObject({ mayBeOut: true, hold: null });
      }
    });
  });

  it('a disabled or ended auto-tx gets no decision until its owner enables it', () => {
    everyStory((story) => {
      let isWanted = false;
      for (const { event, after } of tell(story).steps) {
        if (after === null) continue;
        if (event.type === 'sign' || event.type === 'enable') isWanted = true;
        if (event.type === 'submit') expect(isWanted).toBe(true);
        if (['disable', 'cancel', 'expire', 'refuse'].includes(event.type)) isWanted = false;
      }
    });
  });

  it('between two decisions it was declined, or its owner or a reorg of its end came between', () => {
    everyStory((story) => {
      const kinds = tell(story).steps.flatMap(({ notes }) => notes.map(({ kind }) => kind));
      let isOut = false;
      for (const kind of kinds) {
        if (kind === 'SUBMITTED') expect(isOut).toBe(false);
        if (kind === 'SUBMITTED') isOut = true;
        if (kind === 'DECLINED' || kind === 'ENABLED') isOut = false;
      }
    });
  });

  it('that no node shows it leaves a submitted one submitted, for as long as it lasts', () => {
    everyStory((story) => {
      for (const { before, event, after } of tell(story).steps) {
        if (event.type !== 'observe' || before.status !== 'SUBMITTED' || before.returnsTo !== null) continue;
        const { isKnown, nextNonce, head } = event.observation;
        if (isKnown || nextNonce > 7) continue;
        // A node that does not have its block yet cannot tell.
        if (before.inclusion !== null && head < before.inclusion.blockNumber) continue;
        expect(after).toMatchObject({ status: 'SUBMITTED', failure: null });
        // It is marked since the first such look, unless its block was just taken back.
        const since = before.inclusion === null ? before.unseenSince : null;
        expect(after?.unseenSince).toBe(since ?? after?.unseenSince);
        expect(after?.unseenSince).not.toBeNull();
      }
    });
  });

  it('it is sent again after 1, 2, 5, 15 and 60 minutes, then hourly, and never sooner', () => {
    everyStory((story) => {
      const forward = story.happenings.map((each) =>
        each.type === 'time' ? { ...each, ms: Math.abs(each.ms) } : each,
      );
      const engine = tell({ ...story, happenings: forward });
      let [last, count] = [Number.NEGATIVE_INFINITY, 0];
      for (const { at, event, before, after } of engine.steps) {
        if (after === null) continue;
        const isNew = event.type === 'submit' || (before.inclusion !== null && after.inclusion === null);
        if (isNew || after.status !== 'SUBMITTED') [last, count] = [at, 0];
        if (event.type !== 'resend') continue;
        // The first one may follow at once where no node is known to have taken it.
        if (before.resendAt !== null) {
          expect(at - last).toBeGreaterThanOrEqual(RESEND_PAUSES_MS[Math.min(count, 4)] ?? 0);
          count += 1;
        }
        last = at;
      }
    });
  });

  it('a chain that begins anew changes nothing that is final, and disables the rest until its owner enables it', () => {
    everyStory((story) => {
      const engine = tell(story);
      const before = engine.state;
      engine.step({ type: 'restart' });
      const { state } = engine;
      expect(state.mayBeOut).toBe(false);
      if (['PENDING', 'SUBMITTED', 'DISABLED'].includes(before.status)) {
        expect(state).toMatchObject({
          status: 'DISABLED',
          inclusion: null,
          hold: { code: 'chain_restarted' },
        });
        expect(engine.step({ type: 'submit' })).toBeNull();
        expect(engine.step({ type: 'enable' })?.state).toMatchObject({ status: 'PENDING', hold: null });
      } else {
        const { status, inclusion, executedAt, failure } = before;
        expect(state).toMatchObject({ status, inclusion, executedAt, failure });
      }
    });
  });

  it('is executed or failed by the chain at no moment at which the chain does not say so', () => {
    everyStory((story) => {
      const engine = begin(story);
      for (const happening of story.happenings) {
        const { status: before, mayBeOut } = engine.state;
        engine.live(happening);
        const { status, failure } = engine.state;
        if (status === before) continue;
        const { mined } = engine.chain;
        if (status === 'EXECUTED') expect(mined?.filling).toBe('ours');
        if (failure?.code === 'reverted') expect(mined?.filling).toBe('ours-reverted');
        if (failure?.code === 'nonce_used') expect(mined?.filling).toBe('another');
        // One that no node can have fails at the first block that has its nonce.
        const isReplaced = failure?.code === 'nonce_used' && mayBeOut;
        const isFinal = status === 'EXECUTED' || failure?.code === 'reverted' || isReplaced;
        if (isFinal) expect(mined?.confirmations).toBeGreaterThanOrEqual(engine.confirmations);
      }
    });
  });

  it('agrees with the chain once that is final', () => {
    everyStory((story) => {
      const engine = tell(story);
      engine.settle();
      expectAgreement(engine);
    });
  });

  it('the same look or rewind once more changes nothing, as after a crash', () => {
    everyStory((story) => {
      const engine = begin(story);
      for (const happening of story.happenings) {
        engine.live(happening);
        // As a later look it would be another one.
        if (happening.type !== 'observe' && happening.type !== 'reorg') continue;
        const event = engine.steps.at(-1)?.event;
        if (event?.type !== 'observe' && event?.type !== 'rewind') continue;
        // Whether it was sent is unknown, so the next observation decides.
        const isUnsure = engine.state.status === 'SUBMITTED' && engine.state.sentAt === null;
        if (isUnsure) continue;
        const again = engine.again(event);
        expect(again?.state ?? engine.state).toEqual(engine.state);
        expect(again?.notes ?? []).toEqual([]);
      }
    });
  });
});

function expectAgreement({ chain, state, steps }: ModelEngine): void {
  const { status, failure } = state;
  const isWatched =
    steps.some(({ after }) => after?.mayBeOut === true) || ['PENDING', 'DISABLED'].includes(status);
  // What was never sent from here and is over, or never was signed, is not looked for.
  if (!isWatched) return;
  const { mined } = chain;
  if (mined?.filling === 'ours') expect(status).toBe('EXECUTED');
  else if (mined?.filling === 'ours-reverted') expect(failure?.code).toBe('reverted');
  else if (mined?.filling === 'another') {
    expect(['EXECUTED', 'SUBMITTED']).not.toContain(status);
    expect(state.mayBeOut).toBe(false);
    // One that never was with a node waits on: what it would be sent into says no.
    const wasOut = steps.some(({ after }) => after?.mayBeOut === true);
    if (wasOut) expect(['FAILED', 'CANCELLED', 'EXPIRED']).toContain(status);
  } else {
    expect(status).not.toBe('EXECUTED');
    expect(failure?.code).not.toBe('reverted');
    // Nothing is stuck: it is out, or can be sent, or its owner or its failure ended it.
    if (status === 'SUBMITTED') expect(chain.hasOursInPool).toBe(true);
    if (chain.hasOursInPool && !chain.isHidden) expect(['PENDING', 'DISABLED']).not.toContain(status);
  }
}

const SEND = { type: 'send', outcome: 'taken' } as const;
const OBSERVE = { type: 'observe', behind: 0 } as const;
const DROP = { type: 'drop' } as const;
const RESENT = { type: 'wallet-sends' } as const;
const mine = (filling: Filling) => ({ type: 'mine', filling }) as const;
const reorg = (depth: number) => ({ type: 'reorg', depth, comesBack: false }) as const;
/** It waits again: every node refused it. */
const DECLINED = [{ type: 'send', outcome: 'refused' }] as const;
const time = (ms: number) => ({ type: 'time', ms }) as const;
const AGAIN_LOST = [mine(null), OBSERVE, time(UNSURE_MS), OBSERVE] as const;
const HIDE = { type: 'hide' } as const;
const SHOW = { type: 'show' } as const;
const RESEND = { type: 'resend', outcome: 'taken' } as const;
const MINUTE = 60_000;

function lived(confirmations: number, ...happenings: readonly Happening[]): ModelEngine {
  return tell({ confirmations, isSigned: true, happenings: [...happenings] });
}

const kindsOf = ({ steps }: ModelEngine) => steps.flatMap(({ notes }) => notes.map(({ kind }) => kind));

describe('in rare cases', () => {
  it('a replacement that a reorg takes back leaves it watched, and mined after all', () => {
    const failed = lived(1, SEND, mine('another'), OBSERVE);
    expect(failed.state).toMatchObject({
      status: 'FAILED',
      failure: { code: 'nonce_used' },
      mayBeOut: false,
    });
    failed.live(reorg(1));
    expect(failed.state).toMatchObject({ status: 'FAILED', mayBeOut: true });
    failed.live(RESENT, mine('ours'), OBSERVE);
    expect(failed.state).toMatchObject({ status: 'EXECUTED', failure: null });
  });

  it('its own mined bytes do not count as another transaction with its nonce', () => {
    const engine = lived(1, ...DECLINED, RESENT, mine('ours'));
    expect(engine.state.status).toBe('PENDING');
    engine.live({ type: 'nonce-check' });
    expect(engine.state.status).toBe('PENDING');
    engine.live(OBSERVE);
    expect(engine.state.status).toBe('EXECUTED');
  });

  it('a node that is behind takes back no block', () => {
    const engine = lived(3, SEND, mine(null), mine('ours'), OBSERVE, { type: 'observe', behind: 1 });
    expect(engine.state.inclusion).toMatchObject({ blockNumber: 2 });
    expect(kindsOf(engine)).toEqual(['SIGNED', 'SUBMITTED', 'SENT', 'MINED']);
  });

  it('an auto-tx cancelled after it was sent is executed when it is mined all the same', () => {
    const engine = lived(1, ...DECLINED, { type: 'user', wish: 'cancel' }, RESENT, mine('ours'), OBSERVE);
    expect(engine.state.status).toBe('EXECUTED');
    expect(kindsOf(engine).slice(-4)).toEqual(['CANCELLED', 'SEEN', 'MINED', 'EXECUTED']);
  });

  it.each([
    ['disable', 'DISABLED'],
    ['cancel', 'CANCELLED'],
    ['expire', 'EXPIRED'],
  ] as const)('after %s, one that came back by itself and is lost again is %s once more', (wish, status) => {
    const engine = lived(2, ...DECLINED, { type: 'user', wish }, RESENT, mine('ours'), OBSERVE);
    expect(engine.state.status).toBe('SUBMITTED');
    engine.live(reorg(1), ...AGAIN_LOST);
    expect(engine.state).toMatchObject({ status, mayBeOut: true, inclusion: null });
    expect(kindsOf(engine).at(-1)).toBe('UNSEEN');
  });

  it('a failed auto-tx that reappeared and is lost again has failed with its reason', () => {
    const refused = { type: 'send', outcome: 'refused-for-good' } as const;
    const { state } = lived(2, refused, RESENT, mine('ours'), OBSERVE, reorg(1), ...AGAIN_LOST);
    expect(state).toMatchObject({ status: 'FAILED', failure: { code: 'unseen' }, mayBeOut: true });
  });

  it('a decision of which nothing is heard is sent again at once, then after pauses', () => {
    const engine = lived(1, { type: 'send', outcome: 'lost' }, OBSERVE);
    expect(engine.state).toMatchObject({ status: 'SUBMITTED', sentAt: null, resendAt: null });
    const again = { type: 'resend', outcome: 'lost' } as const;
    engine.live(again, again, time(59_000), again);
    expect(engine.resentAt).toHaveLength(1);
    engine.live(time(1_000), again, time(2 * MINUTE), RESEND);
    expect(engine.resentAt).toHaveLength(3);
    expect(engine.state).toMatchObject({ status: 'SUBMITTED', attempts: 1, resends: 2 });
  });
});

describe('of a relay that hides its pool', () => {
  const hidden = (...happenings: readonly Happening[]) => lived(2, HIDE, SEND, OBSERVE, ...happenings);
  const look = (ms: number) => [time(ms), OBSERVE] as const;

  it('it is submitted and marked, and executed once it is mined', () => {
    const engine = hidden(...look(20_000));
    expect(engine.state).toMatchObject({ status: 'SUBMITTED', unseenSince: 1_000_000, resends: 0 });
    engine.live(mine('ours'), OBSERVE);
    expect(engine.state).toMatchObject({ status: 'SUBMITTED', unseenSince: null });
    engine.live(mine(null), OBSERVE);
    expect(engine.state).toMatchObject({ status: 'EXECUTED', attempts: 1 });
    expect(kindsOf(engine)).toEqual(['SIGNED', 'SUBMITTED', 'SENT', 'UNSEEN', 'MINED', 'EXECUTED']);
  });

  it('a day of looks at each block sends it 27 times again', () => {
    const engine = hidden();
    const began = engine.now;
    while (engine.now - began < 24 * 60 * MINUTE) engine.live(...look(12_000), RESEND);
    const minutes = engine.resentAt.map((at) => Math.round((at - began) / MINUTE));
    expect(minutes.slice(0, 6)).toEqual([1, 3, 8, 23, 83, 143]);
    expect(minutes).toHaveLength(27);
    // Notes that repeat the one before are not stored.
    expect(new Set(kindsOf(engine).slice(4))).toEqual(new Set(['RESENT']));
    expect(engine.state).toMatchObject({ status: 'SUBMITTED', attempts: 1, resends: 27 });
  });

  it('one that forgets it gets it again, and it is executed', () => {
    const engine = hidden(DROP, ...look(MINUTE), mine('ours'), OBSERVE);
    expect(engine.state.inclusion).toBeNull();
    engine.live(...look(MINUTE), RESEND, mine('ours'), OBSERVE, mine(null), OBSERVE);
    expect(engine.state.status).toBe('EXECUTED');
  });

  it('nodes that disagree add one note, and the pauses go on', () => {
    const engine = hidden(...look(20_000));
    for (let round = 0; round < 100; round += 1) {
      engine.live(SHOW, ...look(12_000), HIDE, ...look(12_000), ...look(60_000), RESEND);
    }
    expect(kindsOf(engine).filter((kind) => kind === 'UNSEEN')).toHaveLength(1);
    expect(engine.state.resends).toBeLessThan(10);
  });

  it('a clock that is set back delays no re-send for longer than the pause', () => {
    const engine = hidden(...look(20_000), time(-3 * 60 * MINUTE), OBSERVE, RESEND);
    expect(engine.resentAt).toHaveLength(1);
  });

  it('another transaction with its nonce ends it, a refusal for now does not', () => {
    const engine = hidden(DROP, ...look(20_000), ...look(MINUTE), { type: 'resend', outcome: 'refused' });
    expect(engine.state).toMatchObject({ status: 'SUBMITTED', hold: null });
    expect(kindsOf(engine).at(-1)).toBe('DECLINED');
    engine.live(mine('another'), OBSERVE, mine(null), OBSERVE);
    expect(engine.state).toMatchObject({ status: 'FAILED', failure: { code: 'nonce_used' } });
  });

  it('a refusal for good fails it, and it stays watched', () => {
    const engine = hidden(DROP, ...look(20_000));
    engine.step({ type: 'refuse', obstacle: { code: 'gas_limit', message: 'too much gas' } });
    expect(engine.state).toMatchObject({ status: 'FAILED', mayBeOut: true });
    engine.live(RESENT, mine('ours'), OBSERVE, mine(null), OBSERVE);
    expect(engine.state.status).toBe('EXECUTED');
  });

  it('a check that stops the re-send puts it off for a minute, and counts as none', () => {
    const engine = hidden(...look(20_000), ...look(MINUTE));
    engine.step({ type: 'postpone' });
    engine.live(RESEND);
    expect(engine.state.resends).toBe(0);
    engine.live(time(MINUTE), RESEND);
    expect(engine.state.resends).toBe(1);
  });
});

describe('one that was never sent', () => {
  it.each(['enable', 'disable'] as const)('after %s fails once its nonce is gone for good', (wish) => {
    const engine = lived(3, { type: 'user', wish }, mine('another'), OBSERVE, mine(null), OBSERVE);
    expect(engine.state).toMatchObject({ takenSince: 1, mayBeOut: false, failure: null });
    engine.live(mine(null), OBSERVE);
    expect(engine.state).toMatchObject({
      status: 'FAILED',
      failure: { code: 'nonce_used' },
      mayBeOut: false,
    });
    expect(engine.state.failure?.message).toContain("nonce 7 is used: the sender's next is 8");
    expect(kindsOf(engine).slice(-2)).toEqual(['NONCE_TAKEN', 'FAILED']);
  });

  it('waits on after a reorg that frees its nonce', () => {
    const { state } = lived(3, mine('another'), OBSERVE, reorg(1));
    expect(state).toMatchObject({ status: 'PENDING', takenSince: null, mayBeOut: false });
  });

  it.each<AutoTxEvent>([{ type: 'cancel' }, { type: 'expire' }, { type: 'change', message: 'signed anew' }])(
    'after $type is not watched for that nonce any more',
    (event) => {
      const engine = lived(3, mine('another'), OBSERVE);
      engine.step(event);
      expect(engine.state).toMatchObject({ takenSince: null, mayBeOut: false });
      expect(engine.step({ type: 'rewind', to: 0 })).toBeNull();
    },
  );
});

it('an end names the fate of its target: never reached, reached but held, or sent before', () => {
  const facts = { nonce: 0, confirmations: 1, now: 0 };
  const words = (state: Partial<AutoTxState>) =>
    stepAutoTx({ ...NEW_PENDING, ...state }, { type: 'expire' }, facts)?.notes[0]?.message;
  const hold = { code: 'x', message: 'the balance is too small', retryAt: 0, times: 1 };
  expect(words({})).toBe('it expired before its target was reached');
  expect(words({ hold })).toBe('it expired; its target had been reached, but the balance is too small');
  expect(words({ mayBeOut: true })).toMatch(/^it expired; it was broadcast before/);
});
