import { describeDataSource } from './data-source-suite.ts';
import { openMemory } from './open-memory.ts';

describeDataSource('memory', openMemory, { hasGeneratedColumns: false });
