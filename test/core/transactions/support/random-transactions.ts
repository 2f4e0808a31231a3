import fc from 'fast-check';
import {
  type Hex,
  keccak256,
  type SignedAuthorizationList,
  sha256,
  stringToHex,
  type TransactionSerializable,
  toHex,
  toRlp,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { fromRlp, getContractAddress } from 'viem/utils';

const keyOf = (name: string) => keccak256(stringToHex(`only in tests: ${name}`));
const SENDERS = [0, 1, 2].map((index) => privateKeyToAccount(keyOf(`sender ${index}`)));
const AUTHORITIES = [0, 1, 2, 3].map((index) => privateKeyToAccount(keyOf(`authority ${index}`)));

/** What the chain has of the account that is paid or created. */
export const ACCOUNT_STATES = ['absent', 'funded', 'used', 'delegated', 'code'] as const;
type AccountState = (typeof ACCOUNT_STATES)[number];

export interface RandomTransaction {
  readonly type: 0 | 1 | 2 | 3 | 4;
  /** As a block has it. */
  readonly raw: Hex;
  /** As it is sent: with its sidecar. */
  readonly sent: Hex;
  readonly from: Hex;
  /** The account that it pays, calls or creates. */
  readonly recipient: Hex;
  readonly state: AccountState;
  /** Accounts that have a balance; others of the authorities do not exist. */
  readonly authorities: readonly Hex[];
  readonly nonce: number;
  readonly blockGasLimit: number;
  /** Its creation code ends at once, so that nothing but the new account can be too much for its gas. */
  readonly isPlain: boolean;
}

const ZERO: Hex = '0x0000000000000000000000000000000000000000';
/** Where accounts are delegated to. */
export const DELEGATE: Hex = `0x${'de'.repeat(20)}`;
const address = (seed: number): Hex => `0x77${toHex(seed, { size: 19 }).slice(2)}`;

const few = fc.nat({ max: 60 });
/** Mostly little; also about the most of initcode before Amsterdam, and as much as nodes take. */
const dataLength = fc.oneof(
  { weight: 30, arbitrary: fc.constant(0) },
  { weight: 30, arbitrary: few },
  { weight: 30, arbitrary: fc.nat({ max: 3_000 }) },
  { weight: 4, arbitrary: fc.integer({ min: 49_150, max: 49_155 }) },
  { weight: 3, arbitrary: fc.nat({ max: 131_100 }) },
);

const data = fc.record({
  length: dataLength,
  zeroShare: fc.constantFrom(0, 0.3, 0.9, 1),
  /** STOP ends it at once. */
  begins: fc.constantFrom('00', '60'),
});

function dataOf({ length, zeroShare, begins }: { length: number; zeroShare: number; begins: string }): Hex {
  if (length === 0) return '0x';
  const zeros = Math.floor((length - 1) * zeroShare);
  return `0x${begins}${'5b'.repeat(length - 1 - zeros)}${'00'.repeat(zeros)}`;
}

/** An address may be named several times, and is paid for each time (EIP-2930). */
const accessList = fc.oneof(
  { weight: 20, arbitrary: fc.constant<[number, number][]>([]) },
  { weight: 20, arbitrary: fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 6 })), { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(fc.tuple(fc.nat({ max: 400 }), few), { maxLength: 50 }) },
);

const authorizations = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.array(
      fc.record({
        who: fc.nat({ max: AUTHORITIES.length - 1 }),
        chainId: fc.constantFrom(0, 1, 1, 1, 5),
        nonce: fc.constantFrom(0, 0, 0, 1),
        isClear: fc.boolean(),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  },
  /** So many that they need more than 2^24 gas in Amsterdam, or just less. Without a valid signature. */
  { weight: 1, arbitrary: fc.integer({ min: 2_130, max: 2_160 }) },
);

/** About what decides whether a limit is enough or too much: found by the oracle, and given here as a number. */
const gasLimit = fc.record({
  at: fc.constantFrom(
    ...(['least of osaka', 'least of osaka', 'least of amsterdam', 'least of amsterdam'] as const),
    ...(['new account', 'delegated', 'authorizations', 'cap', 'block', 'any'] as const),
  ),
  off: fc.constantFrom(-1, 0, 0, 1, 40),
  any: fc.nat({ max: 40_000_000 }),
});

const made = fc.record({
  type: fc.constantFrom(0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4),
  sender: fc.nat({ max: SENDERS.length - 1 }),
  to: fc.constantFrom('other', 'other', 'other', 'self', 'nobody'),
  state: fc.constantFrom(...ACCOUNT_STATES),
  seed: fc.nat(),
  value: fc.constantFrom(0n, 0n, 1n, 10n ** 15n, 10n ** 18n),
  data,
  accessList,
  authorizations,
  authorities: fc.subarray([...AUTHORITIES.keys()]),
  blobs: fc.constantFrom(1, 1, 1, 2, 3, 6, 7),
  nonce: fc.nat({ max: 300 }),
  blockGasLimit: fc.constantFrom(16_777_215, 30_000_000, 60_000_000, 200_000_000),
  gasLimit,
});

export type Made = typeof made extends fc.Arbitrary<infer Value> ? Value : never;

/** What a gas limit is put beside: the least by each row; `null`: none is enough. */
export type LeastOf = (raw: Hex) => Readonly<Record<'osaka' | 'amsterdam', number | null>>;

/** The same for the same seed. */
export const randomTransactions = (count: number, seed: number): readonly Made[] =>
  fc.sample(made, { numRuns: count, seed });

export async function signRandom(of: Made, leastOf: LeastOf): Promise<RandomTransaction> {
  const sender = SENDERS[of.sender] ?? SENDERS[0];
  if (sender === undefined) throw new RangeError('there is no sender');
  const type = of.type as RandomTransaction['type'];
  const creates = of.to === 'nobody' && type < 3;
  const to = creates ? null : of.to === 'self' ? sender.address : address(of.seed);
  const code = dataOf(of.data);
  const signedAuthorizations = type === 4 ? await authorizationsOf(of) : [];
  const commitments = Array.from({ length: of.blobs }, (_, index): Hex => `0x${'c0'.repeat(47)}0${index}`);
  const fees = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1n };
  const prices = [{ gasPrice: 1_000n }, { gasPrice: 1_000n }, fees, { ...fees, maxFeePerBlobGas: 10n ** 9n }];
  const fields = {
    ...{ chainId: 1, nonce: of.nonce, to, value: of.value, data: code, ...(prices[type] ?? fees) },
    ...{ type: (['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'] as const)[type] },
    ...(type > 0 && { accessList: accessListOf(of) }),
    ...(type === 3 && { blobVersionedHashes: commitments.map(versionedHash) }),
    ...(type === 4 && { authorizationList: signedAuthorizations }),
  };
  const sign = (gas: bigint) =>
    sender.signTransaction({ ...fields, gas } as TransactionSerializable) as Promise<Hex>;
  const raw = await sign(limitOf(of, leastOf(await sign(16_000_000n)), signedAuthorizations.length));
  const recipient = to ?? getContractAddress({ from: sender.address, nonce: BigInt(of.nonce) });
  return {
    type,
    raw,
    sent: type === 3 ? withSidecar(raw, commitments) : raw,
    from: sender.address,
    recipient,
    state: of.to === 'self' || (creates && of.state !== 'absent') ? 'funded' : of.state,
    authorities: of.authorities.flatMap((index) => AUTHORITIES[index]?.address ?? []),
    nonce: of.nonce,
    blockGasLimit: of.blockGasLimit,
    isPlain: !creates || of.data.length === 0 || of.data.begins === '00',
  };
}

function limitOf(
  { gasLimit: { at, off, any }, blockGasLimit }: Made,
  least: ReturnType<LeastOf>,
  authorized: number,
): bigint {
  const { osaka, amsterdam } = { osaka: least.osaka ?? any, amsterdam: least.amsterdam ?? any };
  const places = {
    'least of osaka': osaka,
    'least of amsterdam': amsterdam,
    'new account': amsterdam + 183_600,
    delegated: amsterdam + 3_000,
    authorizations: amsterdam + authorized * (9_000 + 183_600 + 35_190),
    cap: 2 ** 24,
    block: blockGasLimit,
    any,
  };
  return BigInt(Math.max(places[at] + off, 0));
}

const accessListOf = ({ accessList: list }: Made) =>
  list.map(([named, keys]) => ({
    address: address(named),
    storageKeys: Array.from({ length: keys }, (_, key) => toHex(key % 5, { size: 32 })),
  }));

function authorizationsOf({ authorizations: given }: Made): Promise<SignedAuthorizationList> {
  if (typeof given === 'number') {
    const skipped = { address: ZERO, chainId: 1, nonce: 0, r: '0x1', s: '0x1', yParity: 0 } as const;
    return Promise.resolve(Array.from({ length: given }, () => skipped));
  }
  const signed = given.map(({ who, chainId, nonce, isClear }) =>
    (AUTHORITIES[who] ?? AUTHORITIES[0])?.signAuthorization({
      ...{ address: isClear ? ZERO : DELEGATE, chainId, nonce },
    }),
  );
  return Promise.all(signed) as Promise<SignedAuthorizationList>;
}

const versionedHash = (commitment: Hex): Hex => `0x01${sha256(commitment).slice(4)}`;

const BLOB: Hex = `0x${'00'.repeat(131_072)}`;

/** Its proofs prove nothing: that is for nodes to see. */
function withSidecar(raw: Hex, commitments: readonly Hex[]): Hex {
  const transaction = fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[];
  const blobs = commitments.map(() => BLOB);
  return `0x03${toRlp([transaction, blobs, [...commitments], [...commitments]]).slice(2)}`;
}
