// Write plugins for weirkeep in AssemblyScript. README.md has the rest.

export * from "./constants";
export * from "./bytes";
export { gw_abi_1, gw_buffer } from "./buffer";
export { exchange, Exchange, Field, Origin } from "./exchange";
export { answer, Answer, cluster, Cluster, Label, Member, sample, Sample, Source, tick, Tick } from "./blobs";
export * from "./results";
export * from "./params";
export * from "./host";
