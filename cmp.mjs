import fs from 'fs';
function load(f){const p=JSON.parse(fs.readFileSync(f));const byId=new Map(p.nodes.map(n=>[n.id,n]));const self=new Map();let tot=0;p.samples.forEach((s,i)=>{const n=byId.get(s);const dt=p.timeDeltas[i];if(n.callFrame.functionName==='(idle)'||n.callFrame.functionName==='(program)')return;tot+=dt;const k=`${n.callFrame.functionName} ${n.callFrame.url.split('/').slice(-1)}`;self.set(k,(self.get(k)??0)+dt)});return [self,tot]}
const [a,ta]=load(process.argv[2]),[b,tb]=load(process.argv[3]);
console.log('total ms',ta/1000|0,tb/1000|0);
const keys=new Set([...a.keys(),...b.keys()]);
const rows=[...keys].map(k=>[k,(a.get(k)??0)/1000,(b.get(k)??0)/1000]);
rows.sort((x,y)=>Math.max(y[1],y[2])-Math.max(x[1],x[2]));
for(const [k,x,y] of rows.slice(0,45))console.log(x.toFixed(0).padStart(6),y.toFixed(0).padStart(6),(y-x).toFixed(0).padStart(6),k);
