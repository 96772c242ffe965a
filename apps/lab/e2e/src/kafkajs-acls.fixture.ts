// Sets rights on a secured broker: kafkajs' admin, over the plain listener, whose clients may do everything.
import kafkajs from 'kafkajs';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

export interface Right {
  readonly on: 'TOPIC' | 'GROUP' | 'TRANSACTIONAL_ID';
  readonly name: string;
  /** True if `name` is a prefix of names. */
  readonly prefix?: true;
  readonly operation: 'READ' | 'WRITE' | 'DELETE' | 'DESCRIBE' | 'DESCRIBE_CONFIGS';
}

/** Allows `principal` exactly these rights, and nothing else. */
export async function allowOnly(bootstrap: string, principal: string, rights: readonly Right[]): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: bootstrap.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.deleteAcls({
      filters: [
        {
          resourceType: AclResourceTypes.ANY,
          resourcePatternType: ResourcePatternTypes.ANY,
          principal,
          operation: AclOperationTypes.ANY,
          permissionType: AclPermissionTypes.ANY,
        },
      ],
    });
    await admin.createAcls({
      acl: rights.map(({ on, name, prefix, operation }) => ({
        resourceType: AclResourceTypes[on],
        resourceName: name,
        resourcePatternType: prefix === true ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
        principal,
        host: '*',
        operation: AclOperationTypes[operation],
        permissionType: AclPermissionTypes.ALLOW,
      })),
    });
  } finally {
    await admin.disconnect();
  }
}
