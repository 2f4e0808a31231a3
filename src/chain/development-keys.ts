import { privateKeyToAccount } from 'viem/accounts';

/** Signers of the last three of `DEVELOPMENT_ACCOUNTS`, whose keys are public. The first ones are for users. */
export const DEVELOPMENT_SIGNERS = {
  payer: privateKeyToAccount('0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356'),
  outpaced: privateKeyToAccount('0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'),
  waiting: privateKeyToAccount('0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'),
} as const;
