import { describeDataSource } from './data-source-suite.ts';
import { openMemory } from './open-memory.ts';

describeDataSource('memory', openMemory, {
  lacks: {
    'generated columns': 'records in memory are what they are given',
    places: 'pages are counted in memory',
  },
});
