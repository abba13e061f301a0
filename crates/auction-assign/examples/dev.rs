use auction_assign::*;
struct R(u64);
impl R { fn next(&mut self)->u64{ self.0=self.0.wrapping_add(0x9E3779B97F4A7C15); let mut z=self.0; z=(z^(z>>30)).wrapping_mul(0xBF58476D1CE4E5B9); z=(z^(z>>27)).wrapping_mul(0x94D049BB133111EB); z^(z>>31)}
 fn u(&mut self)->f64{ (self.next()>>11) as f64 / (1u64<<53) as f64 } fn int(&mut self,n:u64)->f64{ (1+self.next()%n) as f64 } }
fn fam(name:&str,n:usize)->Vec<f64>{ let mut r=R(7); match name {
 "u1e6"=>(0..n*n).map(|_|r.int(1000000)).collect(), "u100"=>(0..n*n).map(|_|r.int(100)).collect(),
 "ij"=>(0..n*n).map(|k|((k/n+1)*(k%n+1)) as f64).collect(),
 "eucl"=>{ let p:Vec<(f64,f64)>=(0..2*n).map(|_|(r.u()*1e6,r.u()*1e6)).collect(); (0..n*n).map(|k|{let a=p[k/n];let b=p[n+k%n];((a.0-b.0).hypot(a.1-b.1)).floor()}).collect()}
 "euclr"=>{ let p:Vec<(f64,f64)>=(0..2*n).map(|_|(r.u(),r.u())).collect(); (0..n*n).map(|k|{let a=p[k/n];let b=p[n+k%n];(a.0-b.0).hypot(a.1-b.1)}).collect()}
 "rank1"|"rank1r"=>{ let l:Vec<f64>=(0..n).map(|_|1.0+99.0*r.u()).collect(); let s:Vec<f64>=(0..n).map(|_|1.0+9.0*r.u()).collect(); (0..n*n).map(|k|{let v=l[k/n]/s[k%n]; if name=="rank1"{(v*1e6).floor()}else{v}}).collect()}
 "geom"=>(0..n*n).map(|_|(r.u()*14.0).exp().floor()).collect(),
 "addit"=>{ let a:Vec<f64>=(0..2*n).map(|_|r.int(1000000)).collect(); (0..n*n).map(|k|a[k/n]+a[n+k%n]+r.int(1000)).collect()}
 "equal"=>vec![5.0;n*n],
 _=>panic!() } }
fn main(){ let names=["u1e6","u100","ij","eucl","euclr","rank1","rank1r","geom","addit","equal"]; let args:Vec<String>=std::env::args().collect();
 let ns:Vec<usize>=args[1].split(',').map(|s|s.parse().unwrap()).collect();
 for n in ns { for name in names { if args.len()>2 && !args[2].split(',').any(|x|x==name) {continue}
  let c=fam(name,n); let mut best=f64::MAX; let mut tot=0.0; let reps=std::env::var("REPS").ok().and_then(|s|s.parse().ok()).unwrap_or(if n>=2000{2}else{5});
  for _ in 0..reps { let t=std::time::Instant::now(); let p=Problem::new(Costs::dense(n,n,&c).unwrap()); let a=std::env::args().nth(3).unwrap_or("shortest-paths".into()).parse::<AssignerKind>().unwrap().build().assign(&p).unwrap(); best=best.min(t.elapsed().as_secs_f64()*1e3); tot=a.assignment().unwrap().total; 
   if let Some(d)=&a.assignment().unwrap().duals { let s=-d.profits.iter().sum::<f64>()-d.prices.iter().sum::<f64>(); assert!((s-tot).abs()<=1e-9*tot.abs(),"{s} {tot}"); } }
  println!("{n} {name} {best:.2} ms total {tot}"); } } }
