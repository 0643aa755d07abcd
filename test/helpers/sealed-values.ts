import { createSealedTexts } from '#node/system/secrets';
import { valuesPurpose } from '#platform/audit/personal-places';

export const platformKey = 'ab'.repeat(32);

/** Seals values of records with the platform key of tests. */
export const sealedValues = createSealedTexts(platformKey, valuesPurpose);
