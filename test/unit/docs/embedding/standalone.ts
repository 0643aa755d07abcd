import { agent } from './agent.ts';

await agent.mountOnStandaloneServer(3351).start();
process.once('SIGTERM', () => void agent.stop());
