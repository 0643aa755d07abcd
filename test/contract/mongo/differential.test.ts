import { describeDifferential } from '../differential/differential-suite.ts';
import { openMingo } from './open-mingo.ts';

// MongoDB has no days and times of day; mingo orders texts by their UTF-16 units, and MongoDB by code points.
describeDifferential([{ name: 'mingo', open: openMingo }], {
  databases: 60,
  queriesPerDatabase: 40,
  withoutTypes: ['day', 'time'],
  withoutCharacters: /[\ue000-\uffff]/,
});
