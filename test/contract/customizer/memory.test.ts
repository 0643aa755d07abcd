import { openMemory } from '../data-source/open-memory.ts';
import { describeCustomizer } from './customizer-suite.ts';

describeCustomizer('memory', openMemory);
