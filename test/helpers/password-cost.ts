import type { PasswordCost } from '#platform/passwords/password-hash';

/** Hashes of no strength, made in a moment, for tests that are not about their strength. */
export const cheapPasswords: PasswordCost = { ln: 4, r: 8, p: 1 };
