export { alterInForce } from './alter-in-force.ts';
export { type BuiltProject, cachedArtifacts, type MavenProject, resolveArtifacts } from './artifacts.ts';
export { ensureBroker, startBroker } from './broker.ts';
export { type BrokerStatus, dataDirOf, startDetached, statusDetached, stopDetached } from './detached.ts';
export { findJava } from './java-runtime.ts';
export { type ServerProperties } from './node-settings.ts';
export { freePorts, isPortFree } from './ports.ts';
export { type BrokerNode, type BrokerOptions, type RunningBroker } from './running-broker.ts';
export { issue as issueCertificate, makeAuthority } from './secured/certificates.ts';
export {
  renewAuthority,
  renewClientCertificate,
  renewServerCertificate,
  SECURED_GUEST,
  SECURED_USER,
} from './secured/secured-files.ts';
export { plainUsers, type SecuredListener } from './secured/secured-properties.ts';
export { makeStateFolder, type Workspace, workspaceOf } from './workspace.ts';
