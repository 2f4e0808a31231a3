/** What of a transaction costs gas before anything runs. */
export interface GasBearing {
  readonly data: Uint8Array;
  readonly isCreation: boolean;
  readonly accessedAddresses: number;
  readonly accessedKeys: number;
  readonly authorizations: number;
}

const BASE = 21_000;
/** On top of the base: 53,000 in all (EIP-2). */
const CREATION = 32_000;
const ZERO_BYTE = 4;
/** EIP-2028. */
const NONZERO_BYTE = 16;
/** EIP-3860, for each 32 bytes. */
const INITCODE_WORD = 2;
/** EIP-2930. */
const ACCESSED_ADDRESS = 2_400;
const ACCESSED_KEY = 1_900;
/** EIP-7702: the price of an account that is empty yet; what is too much comes back. */
const AUTHORIZATION = 25_000;
/** EIP-7623: a token is a zero byte, and a quarter of any other. */
const FLOOR_TOKEN = 10;
const TOKENS_OF_NONZERO = 4;

/** The least gas limit with which a block takes a transaction: what it costs, or the floor for its data. */
export function intrinsicGas(of: GasBearing): bigint {
  return BigInt(Math.max(gasBeforeRun(of), floorGas(of.data)));
}

/** What is used up before the first instruction: EIP-2028, EIP-2930, EIP-3860, EIP-7702. */
function gasBeforeRun(of: GasBearing): number {
  const zeros = zeroBytes(of.data);
  const creation = of.isCreation ? CREATION + Math.ceil(of.data.length / 32) * INITCODE_WORD : 0;
  return (
    BASE +
    creation +
    zeros * ZERO_BYTE +
    (of.data.length - zeros) * NONZERO_BYTE +
    of.accessedAddresses * ACCESSED_ADDRESS +
    of.accessedKeys * ACCESSED_KEY +
    of.authorizations * AUTHORIZATION
  );
}

/** What is charged at least, however little runs (EIP-7623). */
function floorGas(data: Uint8Array): number {
  const zeros = zeroBytes(data);
  return BASE + (zeros + (data.length - zeros) * TOKENS_OF_NONZERO) * FLOOR_TOKEN;
}

function zeroBytes(data: Uint8Array): number {
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros++;
  return zeros;
}
